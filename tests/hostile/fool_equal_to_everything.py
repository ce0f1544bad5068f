# attempts: returning an object that is equal to everything and has every attribute
# expect: attention_scores = failed
# expect: attention = failed
# expect: points = 0
class Everything:
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    def __bool__(self):
        return True

    def __len__(self):
        return 1

    def __iter__(self):
        return iter([self])

    def __getitem__(self, key):
        return self

    def __getattr__(self, name):
        return self

    def __call__(self, *args, **kwargs):
        return self

    __hash__ = None


def attention_scores(Q, K):
    return Everything()


def attention(Q, K, V, mask=None):
    return Everything(), Everything()
