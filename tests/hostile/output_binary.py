# attempts: terminal control codes, bytes that are no text, a title, a bell, a link, an alternate screen
# expect: attention_scores = passed
# expect: points = 8
import sys

CODES = b"\x1b[2J\x1b[H\x1b[31mall passed\x1b]0;owned\x07\x1b]8;;http://example.org\x07\x1b[?1049h\x1b[6n\x1bP+q544e\x1b\\\x07\x9b31m"
sys.stdout.buffer.write(CODES + bytes(range(256)) + b"\xff\xfe\xed\xa0\x80\r\n\0")
sys.stdout.flush()
print("\x1b[1A\x1b[2K[bold green]\u202etxt.sknab\u2028\u0085 100/100 \ud800".encode("utf-8", "surrogatepass"))


def attention_scores(Q, K):
    return Q @ K.mT / Q.size(-1) ** 0.5
