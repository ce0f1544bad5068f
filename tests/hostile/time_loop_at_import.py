# attempts: a loop at import
# expect: attention_scores = timeout, skipped
# expect: softmax = timeout, skipped
# expect: attention = timeout, skipped
# expect: points = 0
while True:
    pass
