"""The catalogue of mistakes: what each misconception is called, what it is in words, what to ask next.

Solution modules refer to an entry by its id.  A message says what the learner's numbers show and holds
whatever code led to them; a question leads towards the fix without naming it.  Twins are mistakes that
no result can tell apart, so they share their words.
"""

from attention_kata.authoring import Mistake

# Words shared by twins: message, question.
DIVIDED_BY_D_K = (
    "Your scores end up divided by the whole of d_k, which is more than its square root.",
    "Follow one score from Q to the softmax: which numbers is it divided by, and how often?",
)
HIDDEN_SCORE_NEAR_ZERO = (
    "Your hidden scores end up at 0 or right next to it, and a score of 0 still gets real weight.",
    "What does the softmax make of a score of 0, and which score would it turn into a weight of 0?",
)
OUTPUT_NOT_PROJECTED = (
    "What you return has not been through the output layer.",
    "Change the weights of the output layer: does what you return change?",
)
HEADS_CUT_THE_SEQUENCE = (
    "Your heads cut up the sequence: each gets a stretch of tokens, not its slice of every token.",
    "Follow token 0 through the split: in which heads do its numbers end up?",
)

CATALOGUE: tuple[Mistake, ...] = (
    # 1 Scores and scaling
    Mistake(
        "scale-missing",
        "Your scores are the raw dot products: nothing scales them.",
        "How does the spread of a dot product grow with the number of terms in it?",
    ),
    Mistake(
        "scale-by-d-model",
        "You scale by sqrt(d_model), the width of all heads together.",
        "How long are the two vectors that are really multiplied inside one head?",
    ),
    Mistake("scale-no-sqrt", *DIVIDED_BY_D_K, twins=("scale-applied-twice",)),
    Mistake(
        "scale-inverted",
        "Your scaling works backwards: it makes the scores sqrt(d_k) times larger.",
        "Print the factor: is it above or below 1, and do you multiply or divide by it?",
    ),
    Mistake("scale-applied-twice", *DIVIDED_BY_D_K, twins=("scale-no-sqrt",)),
    Mistake(
        "scale-fourth-root-once",
        "Your scores are divided by the fourth root of d_k: half of the scaling is missing.",
        "How much of the scaling does Q bring, how much does K, and what do the two make together?",
    ),
    Mistake(
        "scale-by-value-dim",
        "You scale by sqrt(d_v), the length of the value vectors.",
        "Which two tensors meet in the dot product, and how long are their vectors?",
    ),
    Mistake(
        "scale-by-key-count",
        "You scale by the square root of the number of keys.",
        "Should a score change when the sequence becomes twice as long?",
    ),
    Mistake(
        "scale-d-k-over-heads",
        "You scale by sqrt(d_k / n_heads): the heads are divided out twice.",
        "Has d_model already been shared out among the heads at the place where you take the size?",
    ),
    Mistake(
        "scale-floor-division",
        "Your scores are all whole numbers: they are rounded down when they are scaled.",
        "Print one score before and after it is scaled: which part of the number is gone?",
    ),
    Mistake(
        "scale-after-softmax",
        "You scale after the softmax, so what weighs the values no longer sums to 1.",
        "What should every row of weights add up to, and which step changes that?",
    ),
    Mistake(
        "scale-lost-in-mask-branch",
        "Your scores are scaled without a mask, but raw as soon as there is one.",
        "Which tensor does your masking step start from, and has it been scaled yet?",
    ),
    Mistake(
        "bias-added-before-scaling",
        "You add the bias before the scaling, so it is divided by sqrt(d_k) as well.",
        "Is the bias meant in units of the raw scores or of the scaled ones?",
    ),
    Mistake(
        "key-reversed-all-axes",
        "Your transpose of K reverses all of its axes, the batch included.",
        "Write down the shape of K before and after your transpose: where did the batch go?",
    ),
    Mistake(
        "key-reshaped-not-transposed",
        "Your K has the shape of its transpose, but its numbers have stayed in their old order.",
        "Take a 2 x 3 tensor: where does each number go in a reshape, and where in a transpose?",
    ),
    Mistake(
        "fixed-number-of-axes",
        "Your product fits one number of axes only: it counts or names every axis from the front.",
        "Which two axes does the product need, and how do you count them from the end?",
    ),
    Mistake(
        "query-key-swapped",
        "Your score matrix lies on its side: it has one row per key and one column per query.",
        "Who asks and who is asked, and which of the two should own the rows?",
    ),
    Mistake(
        "weights-transposed-before-v",
        "Your weights are turned round before they meet V: queries and keys have traded places.",
        "Output row t answers query t: which weights belong to that query?",
    ),
    Mistake(
        "einsum-index-not-shared",
        "You sum weights and values separately, so no weight meets its own value.",
        "Which axis do the weights and V have in common, and does your product pair it up?",
    ),
    Mistake(
        "value-ignored",
        "V plays no part in your output: your weights are multiplied with K.",
        "Change V alone: does your output change?",
    ),
    Mistake(
        "query-squared",
        "Your queries are multiplied with themselves before they meet the keys.",
        "What becomes of the sign of a number in Q on its way to the scores?",
    ),
    # 2 Softmax
    Mistake(
        "softmax-over-queries",
        "Each of your columns sums to 1 instead of each row: the softmax runs over the queries.",
        "Each query shares out one unit of attention: among whom?",
    ),
    Mistake(
        "softmax-over-batch",
        "Your softmax runs over the batch: the weights of a sample depend on the other samples.",
        "Change sample 1: may the weights of sample 0 move?",
    ),
    Mistake(
        "softmax-fixed-dim",
        "Your softmax always takes the same numbered axis, even where another one should sum to 1.",
        "What does that axis stand for in this input, and which one should sum to 1?",
    ),
    Mistake(
        "softmax-implicit-dim",
        "Your softmax takes axis 0 in 3-D and axis 1 in 4-D, as torch does when it is given no axis.",
        "Which axis should sum to 1, and where do you say so?",
    ),
    Mistake(
        "softmax-over-heads",
        "Your softmax runs over the heads, so they compete with each other for attention.",
        "For one query and one key, should the weights of all heads add up to 1?",
    ),
    Mistake(
        "softmax-over-heads-and-keys",
        "Your softmax runs over heads and keys together: all heads of a query share one unit.",
        "Add up one row of a single head: what do you get, and what should it be?",
    ),
    Mistake(
        "softmax-over-everything",
        "Your weights sum to 1 over the whole tensor, not along each line of it.",
        "Print the sum that you divide by: how many numbers is it, and how many should it be?",
    ),
    Mistake(
        "softmax-missing",
        "You use the scores as weights as they are: nothing makes them positive or sum to 1.",
        "Can a share of attention be negative, and what do your rows add up to?",
    ),
    Mistake(
        "softmax-twice",
        "Your weights have been through a softmax twice: they are far more alike than they should be.",
        "Count the exponentials between a score and its weight: how many are there?",
    ),
    Mistake(
        "softmax-denominator-plus-one",
        "Your exponentials are divided by more than their sum: each row of weights adds up to less than 1.",
        "Write down all terms of the number you divide by: does each belong to a key?",
    ),
    Mistake(
        "softmax-over-size-one",
        "Your softmax runs along an axis of size 1, on which every weight is 1.",
        "How many numbers share out the 1 on the axis that you chose?",
    ),
    Mistake(
        "tanh-after-fill",
        "Your hidden scores come out of a squeezing function at -1, and a score of -1 gets real weight.",
        "What is the lowest score that can reach your softmax?",
    ),
    Mistake(
        "hidden-in-softmax",
        "Your hidden keys have a part in the softmax. Where their scores are far higher, nothing is left for the others.",
        "Let a hidden score grow without end: what becomes of the weights of the open keys?",
    ),
    Mistake(
        "softmax-no-max-subtraction",
        "On steep scores your exp leaves the range of the numbers: only infinity or 0 is left.",
        "What is exp(1000), and what may you subtract from a whole row without changing its softmax?",
    ),
    Mistake(
        "softmax-global-max",
        "You subtract one maximum from many rows: a row far below it has nothing left but 0 / 0.",
        "What becomes of a row that lies 1000 below the largest number of all?",
    ),
    Mistake(
        "softmax-max-without-keepdim",
        "Your maxima or sums have lost an axis and no longer line up with the rows they come from.",
        "Which shape do the maxima and the sums have, and how does it line up with the input, from the right?",
    ),
    Mistake(
        "softmax-log",
        "Your weights are logarithms: none of them is above 0.",
        "Can a weight be negative, and what should a row of weights add up to?",
    ),
    # 3 Padding mask
    Mistake(
        "padding-off-by-one",
        "Your mask opens one position too many: the first padded one of a sequence.",
        "How many True values should the row of a sequence of length 2 have?",
    ),
    Mistake(
        "padding-width-from-longest",
        "Your mask is only as wide as the longest sequence of this batch.",
        "Who decides the width: the longest sequence, or the tensor that the mask is made for?",
    ),
    Mistake(
        "padding-inverted",
        "Your mask is inverted: True marks the padding.",
        "Say aloud what True means in this exercise, then look at the first row of your mask.",
    ),
    Mistake(
        "padding-left",
        "Your mask opens the end of each sequence, as if the padding came first.",
        "On which side do these sequences keep their padding?",
    ),
    Mistake(
        "padding-from-zero-embeddings",
        "You take a token for padding when its vector sums to 0, but that is not what makes it padding.",
        "Once positions are added, is a padded token still all zeros?",
    ),
    Mistake(
        "padding-wrong-pad-index",
        "Your mask looks for the padding id of the other vocabulary.",
        "Whose vocabulary do these ids belong to, and which id means padding there?",
    ),
    Mistake(
        "pad-mask-on-query-rows",
        "Your padding lies along the queries: it blanks rows and leaves the padded keys in sight.",
        "Who must be hidden: the one who asks or the ones who are asked?",
    ),
    Mistake(
        "pad-mask-both-sides",
        "Your padding closes rows as well as columns: padded queries have nothing to attend to.",
        "What is a padded query left to look at, and will anyone read its answer?",
    ),
    Mistake(
        "key-mask-not-unsqueezed",
        "Your (B, S) mask is read as (T, S): its samples are taken for queries.",
        "Write the shapes of mask and scores one below the other, from the right: what does B meet?",
    ),
    Mistake(
        "mask-missing-head-axis",
        "Your mask has no axis for the heads: next to the scores, its samples are taken for heads.",
        "Write the shapes of mask and scores one below the other, from the right: what does B meet?",
    ),
    # 4 Causal mask
    Mistake(
        "causal-upper-triangle",
        "You allow the forbidden part: each token sees what comes later, not what came before.",
        "Which keys may the first query look at, and which does row 0 of your mask open?",
    ),
    Mistake(
        "causal-excludes-self",
        "Your mask is one diagonal too strict: no token can look at itself.",
        "May a token look at itself, and does your mask let it?",
    ),
    Mistake(
        "causal-one-step-leak",
        "Your mask is one diagonal too loose: each token sees one step into the future.",
        "Change the last token only: which outputs move, and which of them may?",
    ),
    Mistake(
        "causal-top-left",
        "Your mask places the queries at the start of the sequence, whatever the number of keys.",
        "When 1 new query meets 5 keys, where in the sequence does that query stand?",
    ),
    Mistake(
        "causal-square-only",
        "Your mask is square, T x T, however many keys there are.",
        "How many columns does the score matrix have?",
    ),
    Mistake(
        "causal-transposed",
        "Rows and columns have traded places in your mask: its rows are the keys.",
        "Say aloud 'rows are queries', then read row 0: what may the first query see?",
    ),
    Mistake(
        "causal-mask-wrong-kind",
        "Your mask holds numbers to add to the scores, 0 and -inf, where True and False are meant.",
        "Print the dtype of the mask and its first row: which of its numbers would count as True?",
    ),
    Mistake(
        "causal-skipped-without-mask",
        "You hide the future only when another mask is passed as well.",
        "Does the future become visible when there is no padding?",
    ),
    # 5 Applying and combining masks
    Mistake(
        "mask-inverted",
        "You attend exactly where the mask says no.",
        "Say aloud what True means in this exercise, then look at the positions you rule out.",
    ),
    Mistake(
        "mask-fill-discarded",
        "Your mask changes nothing: the result is the one you get without a mask.",
        "Does your masking step change the scores or hand back new ones, and which do you go on with?",
    ),
    Mistake(
        "mask-after-softmax",
        "You hide keys after the softmax: what is left of a row no longer sums to 1.",
        "When some weights of a row become 0, what do the others still add up to?",
    ),
    Mistake("mask-multiplies-scores", *HIDDEN_SCORE_NEAR_ZERO, twins=("fill-tiny-number",)),
    Mistake("fill-tiny-number", *HIDDEN_SCORE_NEAR_ZERO, twins=("mask-multiplies-scores",)),
    Mistake(
        "fill-not-low-enough",
        "Your fill for hidden scores is not low enough: some real scores lie near or below it.",
        "How low can a real score be, and is your fill far below that?",
    ),
    Mistake(
        "bool-mask-added",
        "Your mask goes into a sum as 0 and 1: hidden keys lose a part of their weight, not all of it.",
        "Which number does True become in a sum, and how much does that change a weight?",
    ),
    Mistake(
        "zero-times-inf",
        "As soon as there is a mask, even the keys you may attend to become NaN.",
        "What does your mask term come to at a position where nothing is hidden?",
    ),
    Mistake(
        "mask-zero-sentinel",
        "You take every score of exactly 0 for a hidden one, but a real score can be 0 too.",
        "When is the dot product of two vectors 0, and does that make a key forbidden?",
    ),
    Mistake(
        "masks-or-not-and",
        "Your combined mask opens a position as soon as one of the two rules allows it.",
        "Must a key pass one rule or both?",
    ),
    Mistake(
        "masks-added-overflow",
        "Your two masks add up to minus infinity where both say no; a row of nothing else is NaN.",
        "What do you get when you add the lowest number of a dtype to itself?",
    ),
    Mistake(
        "mask-edited-not-scores",
        "You change the mask itself, and the scores stay as they were.",
        "Which tensor goes into the softmax, and which one does your masking step write to?",
    ),
    Mistake(
        "invert-int-mask",
        "Inverted, your mask of 1 and 0 holds -2 and -1: both count as True, so everything is hidden.",
        "Print ~torch.tensor([1, 0]): which of the two numbers counts as False?",
    ),
    Mistake(
        "one-minus-bool",
        "You subtract a mask of True and False from 1, which torch refuses to do.",
        "Which operator turns True into False in a bool tensor?",
    ),
    Mistake(
        "int-mask-to-masked-fill",
        "Your mask holds numbers when it reaches a step that takes True and False only.",
        "Which dtype does that step ask for, and which one does your mask have?",
    ),
    Mistake(
        "mask-truthiness",
        "You ask whether the mask is true, but it holds many answers, not one.",
        "Do you want to know whether there is a mask, or whether it is True?",
    ),
    Mistake(
        "cross-mask-from-target",
        "You hide keys by the padding of the sequence that asks, not by their own.",
        "Whose tokens are the keys here?",
    ),
    Mistake(
        "fully-masked-nan",
        "Where a query may attend to nothing, your result is NaN.",
        "When every key of a row is hidden, what does your softmax divide by what?",
    ),
    Mistake(
        "fully-masked-uniform",
        "Where a query may attend to nothing, you spread its weight over the hidden keys anyway.",
        "If every key of a row is hidden, which of them should get weight?",
    ),
    Mistake(
        "masked-nan-value-leaks",
        "A NaN in a hidden row of V reaches your output: a weight of 0 does not stop it.",
        "What is 0 times NaN, and what could a hidden value hold instead?",
    ),
    Mistake(
        "forward-patched-grad-nan",
        "Your result is finite but its gradient is not: the NaN is covered up on the way forward only.",
        "Where is the first NaN or infinity born, and does the way back lead through that place?",
    ),
    # 6 Head split
    Mistake("split-view-only", *HEADS_CUT_THE_SEQUENCE, twins=("split-folded-into-batch",)),
    Mistake("split-folded-into-batch", *HEADS_CUT_THE_SEQUENCE, twins=("split-view-only",)),
    Mistake(
        "split-strided-features",
        "Each of your heads takes every H-th feature instead of a block of neighbouring ones.",
        "Which features of a token belong to head 0?",
    ),
    Mistake(
        "split-heads-first",
        "In your split the heads come before the batch.",
        "Which axis should come first, the sample or the head?",
    ),
    Mistake(
        "split-heads-not-divisible",
        "When the heads do not divide the width, you do not raise the ValueError that is asked for.",
        "How would 3 heads share a width of 10, and what should the caller be told?",
    ),
    # 7 Head merge
    Mistake(
        "merge-no-transpose",
        "Each row of your merge strings several tokens of a head together, not all heads of one token.",
        "Row 0 of the merged result should hold something from every head: does it?",
    ),
    Mistake(
        "merge-head-batch-swapped",
        "You join heads of different samples: batch and heads are taken apart in the wrong order.",
        "From how many samples do the numbers of one row come, and from how many should they?",
    ),
    Mistake(
        "merge-strided-features",
        "In your merged rows the heads alternate, number by number.",
        "Are the d_k numbers of head 0 next to each other?",
    ),
    Mistake(
        "merge-view-not-contiguous",
        "You ask for a view of numbers that no longer lie in order in memory.",
        "The transpose is not to blame: which call copies the numbers when a view is impossible?",
    ),
    Mistake(
        "merge-sums-heads",
        "You blend the heads into one instead of setting them side by side.",
        "How wide was a token before the split, and how wide is it in your result?",
    ),
    # 8 Projections
    Mistake(
        "value-uses-key-projection",
        "Your values come out of the key layer: the value layer is never used.",
        "Which of your layers would get no gradient?",
    ),
    Mistake(
        "value-projection-unused",
        "Your values are the inputs as they come: the value layer has no part in your output.",
        "Change the weights of the value layer: does your output change?",
    ),
    Mistake(
        "relu-after-projection",
        "No negative number gets out of your layers: queries, keys and values are cut off at 0.",
        "What does your code make of a negative number that a layer has made?",
    ),
    Mistake(
        "qk-projections-swapped",
        "Your query layer and your key layer have traded places.",
        "Which input does the query layer belong to, and what is its result used for?",
    ),
    Mistake(
        "one-projection-for-qkv",
        "Your queries, keys and values all come out of one and the same layer.",
        "How many weight matrices stand in the formula, and how many do you use?",
    ),
    Mistake(
        "one-projection-shared-by-heads",
        "Your heads all share one small layer, and each sees only its own slice of the features.",
        "Should head 0 be able to look at every feature of a token?",
    ),
    Mistake(
        "weight-not-transposed",
        "You use the weight of a projection the wrong way round: its (out, in) is read as (in, out).",
        "In which order does nn.Linear store the two axes of its weight?",
    ),
    Mistake(
        "qkv-chunk-order",
        "You take queries, keys and values out of one projection in a different order from the one they went in.",
        "In which order were the three stacked?",
    ),
    Mistake(
        "projection-bias-forgotten",
        "A bias is left out of your projections.",
        "Which parameters does a linear layer own, and which of them do you use?",
    ),
    Mistake("missing-output-projection", *OUTPUT_NOT_PROJECTED, twins=("output-projected-then-dropped",)),
    Mistake("output-projected-then-dropped", *OUTPUT_NOT_PROJECTED, twins=("missing-output-projection",)),
    Mistake(
        "output-projection-per-head-mean",
        "Your heads are averaged before the output layer sees them.",
        "How many heads can the output layer still tell apart?",
    ),
    Mistake(
        "heads-in-python-list",
        "Your module does not know all of its layers: some are never trained, moved or loaded.",
        "How many layers did you make, and how many does the module list among its parameters?",
    ),
    Mistake(
        "split-and-merge-both-wrong",
        "Your split mixes tokens up and your merge puts them back, so a round trip looks right.",
        "Look at the two halves one by one: what does head 0 hold after the split?",
    ),
    # 9 Multi-head forward, cross-attention
    Mistake(
        "kv-shaped-by-query-length",
        "You give keys and values the length of the queries, but they have a length of their own.",
        "Whose length is T, and how long are key and value?",
    ),
    Mistake(
        "key-and-value-taken-from-query",
        "You make keys and values from the query: the other two inputs are never looked at.",
        "Change the key input alone: does anything in your result move?",
    ),
    Mistake(
        "query-from-memory",
        "In your version the sequence that should ask is the one that is asked.",
        "Who asks here, who is asked, and which of them gives the result its length?",
    ),
    Mistake(
        "mask-tiled-over-heads",
        "Some of your heads use the mask of another sample.",
        "Where samples and heads share one axis, which of the two changes faster?",
    ),
    Mistake(
        "attends-over-batch",
        "Your samples attend to each other: the batch is taken for the sequence.",
        "Change sample 1: may sample 0 notice?",
    ),
    # 10 Return values
    Mistake(
        "weights-averaged-over-heads",
        "You return weights averaged over the heads.",
        "Does the exercise ask for one matrix of weights per head, or for one in all?",
    ),
    Mistake(
        "returns-scores-as-weights",
        "The weights you return are the scores from before the softmax.",
        "Do the rows of the weights you return add up to 1?",
    ),
    Mistake(
        "weights-after-dropout",
        "The weights you return have been through dropout.",
        "In train mode, what do the rows of your weights add up to?",
    ),
    Mistake(
        "return-order-swapped",
        "You return the weights first and the output second.",
        "Which shape should the first result have, and which shape has yours?",
    ),
    # 11 Gradients, in-place, side effects
    Mistake(
        "weights-detached",
        "Your weights are cut off from the queries and keys: no gradient flows back to them.",
        "Which step on the way makes the weights forget what they were computed from?",
    ),
    Mistake(
        "scores-recreated",
        "Your scores do not know what they were computed from: no gradient flows back through them.",
        "Are the scores still the result of a product, or a new tensor with the same numbers?",
    ),
    Mistake(
        "weights-edited-in-place",
        "You overwrite the result of the softmax, which the backward pass still needs.",
        "Which numbers does softmax look at again in the backward pass, and are they still there?",
    ),
    Mistake(
        "query-scaled-in-place",
        "You scale the query in place: the tensor you were given changes with it.",
        "Print the query before and after the call: is it still what the caller passed?",
    ),
    # 12 Dtype, device, contiguity
    Mistake(
        "fp16-fill-overflow",
        "Your fill for hidden scores is too low for float16 to hold.",
        "What is the lowest number that float16 can hold?",
    ),
    Mistake(
        "epsilon-vanishes",
        "In float16 you divide 0 by 0 where a query may attend to nothing: what you add to the sum is too small for it.",
        "What is the smallest number above 0 that float16 can hold, and what becomes of a smaller one?",
    ),
    Mistake(
        "fill-finfo-of-wrong-dtype",
        "Your fill is the lowest number of a dtype other than that of the scores.",
        "Whose lowest number is it, and can the dtype of the scores hold it?",
    ),
    Mistake(
        "mask-promotes-dtype",
        "Your mask brings a dtype of its own and turns half-precision scores into float32.",
        "Which dtype does a sum of float16 and float32 have?",
    ),
    Mistake(
        "buffer-of-default-dtype",
        "A tensor you make along the way has torch's default dtype, float32, whatever the inputs have.",
        "Which dtype does each of your new tensors have, and which line says so?",
    ),
    Mistake(
        "mask-on-wrong-device",
        "A tensor you make along the way lives on the CPU, wherever the inputs live.",
        "On which device is each of your new tensors born, and where are the inputs?",
    ),
    Mistake(
        "sqrt-of-python-int",
        "You hand a plain Python number to torch's square root, which takes tensors only.",
        "What type is the number under the root, and what does your square root accept?",
    ),
)
