# attempts: exit code 0 at import, with no report: full marks with graders that read the exit code
# expect: attention_scores = crashed, skipped
# expect: softmax = crashed, skipped
# expect: attention = crashed, skipped
# expect: points = 0
import os

os._exit(0)
