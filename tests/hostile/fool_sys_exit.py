# attempts: sys.exit(0) at import
# expect: attention_scores = error, skipped
# expect: softmax = error, skipped
# expect: attention = error, skipped
# expect: points = 0
import sys

print("all tests passed")
sys.exit(0)
