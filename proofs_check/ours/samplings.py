"""Which sampling is best: bounds below every sampling, and samplings that come close to them."""

from fractions import Fraction

import numpy as np

from rpttheory import optimal_probabilities

from ..checks.assumptions import FRESH
from ..checks.instances import Tries, tried
from ..checks.statements import describe, holds_on_matrices, holds_on_runs, random_problems
from ..checks.symbolic import formula
from ..engine.entry import Bound, Entry, Evidence, Formal, Status, Step, Trial

WHOLE_BLOCKS = "S is a random set of whole blocks with p_k = P(k in S) > 0, of any distribution"
SEMIDEFINITE = "L is positive semidefinite"

# The least c_M of nested sampling for L = 11' and c_k = 1/B, cut after six decimals.
_WORST = {2: Fraction("1.900547"), 3: Fraction("2.803566"), 5: Fraction("4.614377")}


def worst_factors(trial: Trial, factor: Fraction = Fraction(1)) -> Tries:
    """The certified optimum for 11' along one order, of which all are alike."""
    for count, value in _WORST.items():
        result = optimal_probabilities(
            np.ones((count, count)),
            "each",
            [Fraction(1, count)] * count,
            order=range(count),
            objective="c_M",
        )
        is_inside = factor * value <= result.bracket.exact_lower
        is_inside &= result.bracket.exact_upper < factor * value + Fraction(1, 10**6)
        yield is_inside, f"B = {count}: {result.bracket}"


def within_worst(trial: Trial, factor: Fraction = Fraction(1)) -> Tries:
    """The best nested sampling against w_B sum c_k L_k."""
    for problem in random_problems(trial, 144):
        count = problem.blocks.count
        if count in (2, 3):
            best = optimal_probabilities(
                problem.smoothness, problem.blocks, problem.costs, objective="c_M", tol=1e-4
            )
            limit = factor * (_WORST[count] + Fraction(1, 10**6)) * problem.one_block_cost
            yield best.bracket.exact_lower <= limit.exact_upper, describe(problem)


def loses_to_one_block(trial: Trial, excess: Fraction = Fraction(1)) -> Tries:
    """lambda (c_0 + c_1 + q c_2) > 2 (c_0 + c_1) + c_2 for p = (1, q), without rounding.

    lambda > t unless t >= 1/q and (t - 1)(t - 1/q) >= 1.
    """
    for _ in range(trial.instances(400)):
        a, c = (Fraction(int(n), 8) for n in trial.rng.integers(1, 100, 2))
        q = Fraction(int(trial.rng.integers(1, 65)), 64)
        t = excess * (2 * a + c) / (a + q * c)
        yield t < 1 / q or (t - 1) * (t - 1 / q) < 1, f"c_0 + c_1 = {a}, c_2 = {c}, q = {q}"


ABOVE_L = Step(
    latex=r"x^\top \mathbb{E}[CLC] x - x^\top L x = \mathbb{E} (Cx - x)^\top L (Cx - x) \geq 0",
    text="E[C] = I, so the mixed terms add up to -2 x'Lx.",
    check=formula(
        "(C_i*x_i - x_i)*L_ij*(C_j*x_j - x_j) = C_i*x_i*L_ij*C_j*x_j - C_i*x_i*L_ij*x_j"
        " - x_i*L_ij*C_j*x_j + x_i*L_ij*x_j",
        "entry (i, j), so all dimensions and samplings",
        words="the means of C_i and C_j are 1",
    ),
)
DIAGONAL_BLOCK = Step(
    latex=r"\mathbb{E}[CLC]_{kk} = \tfrac{p_k}{p_k^2} L_{kk} \implies L_M \geq L_k / p_k",
    text="A diagonal block of a matrix has no larger eigenvalue than the matrix.",
    check=formula(
        "p_k*(1/p_k)*L_kk*(1/p_k) + (1 - p_k)*0 = L_kk/p_k; p_k L_kk > 0",
        "block k, so any number of blocks",
    ),
)

ANY_SAMPLING = Entry(
    label="our:anySampling",
    title="No sampling costs less than this",
    latex=(
        r"\mathbb{E}[CLC] \succeq L, \quad L_M \geq \max_k L_k / p_k, \quad"
        r" L_M \Big(c_0 + \sum_k p_k c_k\Big) \geq c_0 \lambda_{\max}(L) + \sum_k c_k L_k"
    ),
    text=(
        "L_M is the constant of the nonconvex theorem, of our:functionValues and of"
        " our:polyakLojasiewicz. Whatever sets of blocks are drawn, the cost by L_M is at least the"
        " right side, which depends on neither the sampling nor its probabilities. It is attained"
        " for c_0 = 0 by one block at a time (our:singleBlockOptimal)."
    ),
    assumptions=(SEMIDEFINITE, WHOLE_BLOCKS, "c_0 and all c_k are nonnegative"),
    see=("our:functionValues", "our:polyakLojasiewicz", "our:singleBlockOptimal"),
    bound=Bound.LOWER,
    needs=("text:SkGD", "as:matrixSmoothness"),
    checks=(holds_on_matrices("our:anySampling"),),
    steps=(
        ABOVE_L,
        DIAGONAL_BLOCK,
        Step(
            latex=r"L_M c_0 + \sum_k (L_M p_k) c_k \geq c_0 \lambda_{\max}(L) + \sum_k L_k c_k",
            text="Add up L_M >= lambda_max(L) and L_M p_k >= L_k.",
            check=formula(
                "c_0*l + c_k*L_k <= c_0*(l + r) + c_k*(L_k + s_k), by c_0*r + c_k*s_k;"
                " c_0 c_k r s_k >= 0",
                "term k, so any number of blocks",
                words="l = lambda_max(L), L_M = l + r and L_M p_k = L_k + s_k",
            ),
        ),
    ),
    formal=Formal(
        "moment_above above_top block_below any_sampling any_sampling_overhead identity_instance",
        "E[CLC] >= L, L_k <= L_M p_k, and c_0 lambda_max(L) + sum_k c_k L_k <= L_M (c_0 +"
        " sum_k p_k c_k), for every sampling of whole blocks",
        instance="identity_instance",
    ),
)

SINGLE_BLOCK = Entry(
    label="our:singleBlockOptimal",
    title="Without overhead, one block at a time is the best of all samplings",
    latex=(
        r"p_k = L_k / s,\ s = \sum_j L_j,\ \text{one block at a time}: \quad L_M = s, \quad"
        r" L_M \sum_k p_k c_k = \sum_k c_k L_k"
    ),
    text="It attains the bound of our:anySampling for c_0 = 0, so no sampling is cheaper by L_M.",
    assumptions=(SEMIDEFINITE, "all L_k are positive", "c_0 = 0"),
    proof=Status.DEFINITIONAL,
    needs=("text:SkGD",),
    proof_needs=("our:anySampling",),
    checks=(holds_on_matrices("our:singleBlockOptimal"),),
    steps=(
        Step(
            latex=r"p_{kl} = 0 \text{ for } k \neq l \implies \mathbb{E}[CLC] ="
            r" \mathrm{BlockDiag}(L_{kk} / p_k)",
            text="Two blocks are never drawn together.",
            check=formula(
                "0*L_kl/(p_k*p_l) = 0; p_k*L_kk/p_k^2 = L_kk/p_k; p_k p_l > 0",
                "blocks (k, l) and (k, k)",
            ),
        ),
        Step(
            latex=r"L_k / p_k = s, \quad s\, p_k c_k = c_k L_k",
            text="Every block of E[CLC] has the largest eigenvalue s.",
            check=formula(
                "p_k := L_k/s; L_k/p_k = s; s*p_k*c_k = c_k*L_k; L_k s c_k > 0",
                "block k, so any number of blocks",
            ),
        ),
    ),
    formal=Formal(
        "single_block single_instance",
        "L_M <= s and s sum_k p_k c_k = sum_k c_k L_k for p_k = L_k / s, one block at a time;"
        " L_M >= s is any_sampling",
        instance="single_instance",
        file="our_anySampling",
    ),
)

INDEPENDENT = Entry(
    label="our:independentFactor",
    title="With any overhead, independent blocks are within a factor two of the best sampling",
    latex=(
        r"p_k = \min(1, s L_k / \lambda_{\max}(L)),\ s = \sqrt{a/b}: \quad"
        r" L_M \Big(c_0 + \sum_k p_k c_k\Big) \leq (\sqrt{a} + \sqrt{b})^2 \leq 2 (a + b), \quad"
        r" a = c_0 \lambda_{\max}(L),\ b = \sum_k c_k L_k"
    ),
    text=(
        "Blocks are drawn independently of each other. By our:anySampling no sampling costs less"
        " than a + b, so a closed form is within a factor two of the best of all samplings."
    ),
    assumptions=(SEMIDEFINITE, "c_0, lambda_max(L) and all L_k are positive"),
    bound=Bound.UPPER,
    needs=("text:SkGD",),
    proof_needs=("our:anySampling",),
    checks=(holds_on_matrices("our:independentFactor"),),
    steps=(
        Step(
            latex=r"\mathbb{E}[CLC] = L + \mathrm{BlockDiag}\big((1/p_k - 1) L_{kk}\big)",
            text="p_kl = p_k p_l for different blocks.",
            check=formula(
                "p_k*p_l*L_kl/(p_k*p_l) = L_kl; p_k*L_kk/p_k^2 = L_kk + (1/p_k - 1)*L_kk; p_k p_l"
                " > 0",
                "blocks (k, l) and (k, k)",
            ),
        ),
        Step(
            latex=r"(1/p_k - 1) L_k \leq \lambda_{\max}(L)/s \implies L_M \leq"
            r" \lambda_{\max}(L) (1 + 1/s)",
            text="A block with p_k = 1 adds nothing, the others have p_k = s L_k / lambda_max(L).",
            check=formula(
                "p_k := s*L_k/m; (1/p_k - 1)*L_k <= m/s, by L_k; m s L_k > 0",
                "block k, so any number of blocks",
                words="m = lambda_max(L)",
            ),
        ),
        Step(
            latex=r"\lambda_{\max}(L)(1 + \tfrac1s)\Big(c_0 + \tfrac{s b}{\lambda_{\max}(L)}\Big)"
            r" = (1 + \tfrac1s)(a + s b) = (\sqrt a + \sqrt b)^2",
            text="p_k <= s L_k / lambda_max(L) bounds the cost; then s^2 = a / b.",
            check=formula(
                "s := alpha/beta; a := alpha^2; b := beta^2; m*(1 + 1/s)*(a/m + s*b/m) ="
                " (alpha + beta)^2; m alpha beta > 0",
                "all a and b",
                words="alpha and beta are the roots of a and b, and c_0 = a/m",
            ),
        ),
        Step(
            latex=r"(\sqrt a + \sqrt b)^2 \leq 2 (a + b)",
            text="The square of a difference is not negative.",
            check=formula(
                "(sqrt(a) + sqrt(b))^2 <= 2*(a + b), by (sqrt(a) - sqrt(b))^2; a b >= 0",
                "all a and b",
            ),
        ),
    ),
    formal=Formal(
        "independent_LM independent_cost independent_instance",
        "L_M <= m (1 + 1/s), and m (1 + 1/s) (c_0 + sum_k p_k c_k) <= a + b + 2 s b <= 2 (a + b)"
        " where s^2 b = a",
        instance="independent_instance",
        file="our_anySampling",
    ),
)

BUDGET = Entry(
    label="our:blockBudget",
    title="At most tau blocks, or M bytes, in a step",
    latex=(
        r"\sum_{k \in S} m_k \leq M \implies L_M \geq \max\Big(\lambda_{\max}(L),"
        r" \tfrac1M \sum_k m_k L_k\Big); \quad \text{one block of each of } \tau \text{ groups}:"
        r" L_M \leq \big(1 - \tfrac1\tau\big) \lambda_{\max}(L) + \max_g \sum_{k \in g} L_k"
    ),
    text=(
        "m_k = 1 and M = tau count blocks. Conversely split the blocks into tau groups and draw one"
        " block of each, independently of the other groups, with p_k = L_k / (sum of its group)."
        " Where the sums of the groups are equal this L_M is at most 2 - 1/tau times its bound: for"
        " tau = 1 they are one. With a small overhead fewer groups cost less, and without any one"
        " group is best. Nested sampling cannot offer such a budget: it must sometimes update all"
        " blocks."
    ),
    assumptions=(SEMIDEFINITE, WHOLE_BLOCKS, "all L_k are positive (groups)"),
    needs=("text:SkGD",),
    proof_needs=("our:anySampling", "fact:cauchySchwarz"),
    checks=(holds_on_matrices("our:blockBudget"),),
    steps=(
        Step(
            latex=r"\sum_k m_k L_k \leq L_M \sum_k m_k p_k \leq L_M M",
            text="p_k >= L_k / L_M by our:anySampling; the mean of the bytes is at most M.",
            check=formula(
                "m_k*L_k <= m_k*(L_k + s_k), by m_k*s_k; L_M*u <= L_M*(u + v), by L_M*v;"
                " m_k s_k L_M u v >= 0",
                "term k, so any number of blocks",
                words="L_M p_k = L_k + s_k, u = sum_k m_k p_k and M = u + v",
            ),
        ),
        Step(
            latex=r"\mathbb{E}[CLC] = L - \sum_g L_{gg} + \mathrm{BlockDiag}(L_{kk} / p_k)",
            text="p_kl is 0 within a group, p_k p_l between groups; L_k / p_k is the group's sum.",
            check=formula(
                "0*L_kl/(p_k*p_l) = L_kl - L_kl; p_k*p_l*L_kl/(p_k*p_l) = L_kl;"
                " p_k*L_kk/p_k^2 = L_kk - L_kk + L_kk/p_k; p_k p_l > 0",
                "blocks of one group, of two groups, and on the diagonal",
            ),
        ),
        Step(
            latex=r"x_g^\top L_{gh} x_h + x_h^\top L_{hg} x_g \leq x_g^\top L_{gg} x_g + x_h^\top"
            r" L_{hh} x_h \implies x^\top L x \leq \tau \sum_g x_g^\top L_{gg} x_g",
            text=(
                "Cauchy and Schwarz over the tau parts of x. So x'(L - sum_g L_gg)x is at most"
                " (1 - 1/tau) x'Lx."
            ),
            check=formula(
                "2*(R_g*x_g)*(R_h*x_h) <= (R_g*x_g)^2 + (R_h*x_h)^2, by (R_g*x_g - R_h*x_h)^2",
                "a pair of groups, so any number of groups",
                words="R_g x_g stands for an entry of R x_g, with L = R'R",
            ),
        ),
    ),
    formal=Formal(
        "any_sampling_budget above_top one_of_each_group groups_instance",
        "sum_k m_k L_k <= L_M M where no step draws more than M bytes; lambda_max(L) <= L_M;"
        " L_M <= (1 - 1/tau) lambda_max(L) + s for one block of each of tau groups with sums at"
        " most s, which the instance attains",
        instance="groups_instance",
        file="our_anySampling",
    ),
)

BACKPROPAGATION = Entry(
    label="our:backpropagation",
    title="Where a step pays for its deepest block, nested sampling is the best for L_P",
    latex=(
        r"r_k = P(\max S \geq k): \quad L_M \Big(c_0 + \sum_k r_k c_k\Big) \geq c_0"
        r" \lambda_{\max}(L) + \sum_k c_k \max_{j \geq k} L_j; \quad r_k \geq p_k,\ L_R \leq L_P"
    ),
    text=(
        "Blocks are numbered from the output of a network, and a step costs c_0 + c_1 + ... + c_b"
        " where b is its deepest block, as in backpropagation. Drawing all blocks up to the deepest"
        " of S is a nested sampling. It costs the same, and its probabilities r_k are at least p_k,"
        " so L_P does not grow: for L_P nested sampling is the best of all samplings, and the"
        " optimum along a forced order (our:forcedOrder) is the optimum over all of them. For L_M"
        " it is not (our:backpropagationByLM)."
    ),
    assumptions=(SEMIDEFINITE, WHOLE_BLOCKS, "c_0 and all c_k are nonnegative"),
    see=("our:forcedOrder", "our:backpropagationByLM"),
    needs=("text:SkGD", "text:LP"),
    proof_needs=("our:anySampling",),
    steps=(
        Step(
            latex=r"r_k \geq p_j, \quad L_M r_k \geq L_M p_j \geq L_j \quad (j \geq k)",
            text=(
                "Whenever a block j >= k is drawn, the depth k is reached. With our:anySampling;"
                " then add up as there."
            ),
            check=formula(
                "L_j <= (L_j + s_j) + L_M*more, by s_j + L_M*more; L_j s_j L_M more >= 0",
                "blocks j >= k",
                words="L_M p_j = L_j + s_j and r_k = p_j + more",
            ),
        ),
        Step(
            latex=r"L \preceq L_P\, \mathrm{Diag}(p) \preceq L_P\, \mathrm{Diag}(r)",
            text="Larger probabilities do not raise L_P.",
            check=formula(
                "L_P*p_i*x_i^2 <= L_P*(p_i + more_i)*x_i^2, by L_P*more_i*x_i^2; L_P p_i more_i"
                " >= 0",
                "coordinate i, so all dimensions",
            ),
        ),
    ),
    formal=Formal(
        "depth_cost_mean backpropagation_LM filled_nested filled_marginal filled_LP filled_cost"
        " backpropagation_instance",
        "the bound below every sampling; and drawing all blocks up to the deepest one is nested,"
        " costs the same and has no larger L_P",
        instance="backpropagation_instance",
    ),
)

BACKPROPAGATION_BY_LM = Entry(
    label="our:backpropagationByLM",
    title="For L_M nested sampling is not the best, even where a step pays for its deepest block",
    latex=(
        r"L = \mathbf{1}\mathbf{1}^\top,\ B = 2: \quad L_M (c_0 + p_1 c_1 + p_2 c_2) > 2 (c_0 +"
        r" c_1) + c_2 \quad \text{for every nested sampling with } p_1 \geq p_2"
    ),
    text=(
        "The right side is the cost of one block at a time with p = (1/2, 1/2), whose L_M is 2: a"
        " step on block 2 pays for block 1 as well. So for L_M nothing like our:backpropagation"
        " holds, whatever the costs. (In the other order every step of a nested sampling pays for"
        " both blocks, and L_M p_2 >= 2.) Only computed in floats, not proved: with c_0 = 0 and"
        " c_2 = 20 c_1 the best nested sampling costs 1.173 times as much. Open: how much it can"
        " lose."
    ),
    assumptions=("c_0 >= 0, c_1 and c_2 are positive",),
    see=("our:backpropagation",),
    needs=("def:PTsketch",),
    checks=(tried(loses_to_one_block, "{} samplings and costs, exactly", Evidence.ENUMERATED),),
    steps=(
        Step(
            latex=r"q = p_2 / p_1,\ a = c_0 + c_1: \quad L_M = \lambda / p_1, \quad L_M (c_0 + p_1"
            r" c_1 + p_2 c_2) \geq \lambda (a + q c_2), \quad (\lambda - 1)(\lambda - 1/q) = 1",
            text="p_1 E[CLC] has the rows (1, 1) and (1, 1/q), and p_1 is at most 1.",
            check=formula(
                "p_1 := 1 - s; p_1*(c_0 + b) <= c_0 + p_1*b, by s*c_0; s c_0 b >= 0",
                "all p and costs",
                words="b = c_1 + q c_2",
            ),
        ),
        Step(
            latex=r"q \leq \tfrac12: \quad \lambda (a + q c_2) > \tfrac1q (a + q c_2)"
            r" \geq 2a + c_2",
            text="lambda is larger than 1/q.",
            check=formula(
                "q := 1/(2 + r); 2*a + c_2 <= (a + q*c_2)/q, by a*r; a c_2 > 0, r >= 0",
                "all q <= 1/2",
                words="1/q = 2 + r",
            ),
        ),
        Step(
            latex=r"q > \tfrac12: \quad \lambda (a + q c_2) \geq \tfrac{3 + 1/q}{2} (a + q c_2)"
            r" \geq 2 (a + q c_2) > 2a + c_2",
            text="The Rayleigh quotient of (1, 1).",
            check=formula(
                "q := 1/2 + u; 2 <= (3 + (1 + v))/2, by v/2; 2*a + c_2 <= 2*(a + q*c_2), by"
                " 2*u*c_2; u c_2 > 0, v >= 0",
                "all q > 1/2",
                words="q = 1/2 + u and 1/q = 1 + v",
            ),
        ),
    ),
    formal=Formal(
        "nested_by_LM nested_cost other_order_by_LM one_block_marginal one_block_LM one_block_cost"
        " by_LM_instance",
        "the inequality for every nested sampling, with or without p_1 = 1; that its cost is that"
        " of the deepest blocks; the same bound in the other order; and that the right side is the"
        " cost of one block at a time, whose L_M is 2",
        instance="by_LM_instance",
    ),
)

NESTED_LOSS = Entry(
    label="our:nestedLoss",
    title="Nested sampling can cost almost B times as much as one block at a time",
    latex=(
        r"L = \mathbf{1}\mathbf{1}^\top,\ c_k = 1/B: \quad c_M \geq \tfrac{1}{B^2}"
        r"\Big(\sum_{j=0}^{B-1} \sqrt{2j + 1}\Big)^2 \geq \tfrac{8}{9} B"
    ),
    text=(
        "For every nested sampling of B blocks of one coordinate. One block at a time with equal"
        " probabilities costs 1 (our:singleBlockOptimal). What nested sampling can lose over all L"
        " and costs is open: our:nestedWorst."
    ),
    assumptions=("the sampling is nested",),
    see=("our:nestedWorst", "our:singleBlockOptimal"),
    needs=("def:PTsketch",),
    proof_needs=("fact:cauchySchwarz",),
    steps=(
        Step(
            latex=r"\mathbf{1}^\top \mathbb{E}[CLC] \mathbf{1} = \sum_{k=1}^B r_k (2(B - k) + 1),"
            r" \quad r_k = 1/p_k",
            text="The entry of ranks k <= l is r_k; 2(B - k) + 1 pairs have k first.",
            check=formula(
                "p_l*1/(p_k*p_l) = 1/p_k; 2*(B - k) + 1 = (B - k) + (B - k) + 1; p_k p_l > 0",
                "ranks k <= l",
            ),
        ),
        Step(
            latex=r"\Big(\sum_k r_k w_k\Big) \Big(\sum_k \tfrac{1}{r_k}\Big) \geq"
            r" \Big(\sum_k \sqrt{w_k}\Big)^2",
            text="Cauchy and Schwarz with w_k = 2(B - k) + 1; L_M >= (the first sum) / B.",
            check=formula(
                "2*s_k*s_l <= r_k*s_k^2/r_l + r_l*s_l^2/r_k, by (r_k*s_k - r_l*s_l)^2/(r_k*r_l);"
                " r_k r_l > 0, s_k s_l >= 0",
                "pair (k, l), so any number of blocks",
                words="s_k^2 = w_k",
            ),
        ),
        Step(
            latex=r"9 \Big(\sum_{j < n} \sqrt{2j+1}\Big)^2 \geq 8 n^3",
            text=(
                "By induction: with T the sum and s^2 = 2n + 1, 18 T s >= 24 n^2 + 6 n - 1, since"
                " its square is at least 288 n^3 (2n + 1)."
            ),
            check=formula(
                "288*n^3*(2*n + 1) - (24*n^2 + 6*n - 1)^2 = 12*n^2 + 12*n - 1;"
                " 8*(n + 1)^3 - 8*n^3 - 9*(2*n + 1) = 24*n^2 + 6*n - 1; n > 0",
                "all n",
            ),
        ),
    ),
    formal=Formal(
        "nested_loss nested_loss_linear nested_loss_instance",
        "(sum_j s_j)^2 / n^2 <= c_M and 8n/9 <= c_M for every nested sampling of n coordinates,"
        " where s_j^2 = 2j + 1",
        instance="nested_loss_instance",
    ),
)

NESTED_WORST = Entry(
    label="our:nestedWorst",
    title="How much nested sampling can lose: open",
    latex=(
        r"\min_{p\ \text{nested}} c_M(p) \leq w_B \sum_k c_k L_k, \quad w_B ="
        r" \min_{p\ \text{nested}} c_M(p) \text{ for } L = \mathbf{1}\mathbf{1}^\top,\ c_k = 1/B"
    ),
    text=(
        "One block at a time costs sum c_k L_k. The least w_B for which this holds for all L and"
        " costs is at least that of 11', which lies between 8B/9 and B (our:nestedLoss), and at"
        " most B (lem:upperBound). Certified for L = 11': w_B is 1.900547, 2.803566, 4.614377,"
        " 9.152779 and 18.24381 at B = 2, 3, 5, 10 and 20, cut after the last digit. Hill"
        " climbing over L and costs at B = 2 and 3 ended near 11' (1.9005 and 2.8023), which proves"
        " nothing."
    ),
    assumptions=(SEMIDEFINITE, "c_0 = 0"),
    statement=Status.OPEN,
    proof=Status.NONE,
    see=("our:nestedLoss", "lem:upperBound"),
    needs=("def:PTsketch",),
    checks=(
        tried(worst_factors, "{} certified optima for 11'", Evidence.RIGOROUS),
        tried(within_worst, "{} problems of 2 and 3 blocks", Evidence.RIGOROUS),
    ),
)

CONVEX_BY_LM = Entry(
    label="our:convexByLM",
    title="Convex f with stepsizes up to 1/L_M: the last iterate",
    latex=(
        r"0 < \gamma \leq \tfrac{1}{L_M}: \quad \mathbb{E}[f(x^T) - f^*] \leq"
        r" \frac{R^2/(2\gamma) + \delta_0/p_{\min}}{T + 1/p_{\min}}, \quad R = \|x^0 - x^*\|,"
        r" \quad \delta_0 = f(x^0) - f^*"
    ),
    text=(
        "It pays for the longer stepsize with 1/p_min. Only computed in floats, not proved: for"
        " f = x'(11' + eps I)x/2, one coordinate at a time, gamma = 1/L_M and x_0 = 1/sqrt(d), the"
        " largest T E[f(x_T) - f*] approaches (d - 1)/(4e) L_M R^2 as eps goes to 0 (at eps = 0.01"
        " it is 0.275, 0.640, 1.368 times L_M R^2 for d = 4, 8, 16), so a bound C L_M R^2 / T"
        " seems to need a C that grows with d."
    ),
    assumptions=("f is convex and L-smooth with a minimizer x*", FRESH),
    bound=Bound.UPPER,
    needs=("text:SkGD", "as:matrixSmoothness", "as:convex"),
    proof_needs=("text:replaceLPbyLM",),
    checks=(holds_on_runs("our:convexByLM"),),
    steps=(
        Step(
            latex=r"\gamma^2 \|\nabla f(x)\|^2_{P^{-1}} \leq \tfrac{\gamma^2}{p_{\min}}"
            r" \|\nabla f(x)\|^2 \leq \tfrac{2\gamma}{p_{\min}} (d_t - \mathbb{E} d_{t+1})",
            text="The decrease of text:replaceLPbyLM; d_t = f(x_t) - f*.",
            check=formula(
                "gamma^2*G/(p + r) <= gamma^2*G/p, by gamma^2*G*r/(p*(p + r));"
                " gamma^2*G/p <= 2*gamma/p*(gamma/2*G + s), by 2*gamma*s/p;"
                " gamma p > 0, G r s >= 0",
                "coordinate i, so all dimensions",
                words="p = p_min, p_i = p + r, and d_t - E d_{t+1} = gamma/2 G + s",
            ),
        ),
        Step(
            latex=r"\mathbb{E}\big[\|x^{t+1} - x^*\|^2 + (\tfrac{2\gamma}{p_{\min}} +"
            r" 2\gamma(t+1)) d_{t+1}\big] \leq \|x^t - x^*\|^2 + (\tfrac{2\gamma}{p_{\min}} +"
            r" 2\gamma t) d_t",
            text="With <g, x - x*> >= d_t and E d_{t+1} <= d_t, this potential does not grow.",
            check=formula(
                "e := d - s; (V - 2*gamma*(d + u) + 2*gamma/p*(d - e)) + (2*gamma/p +"
                " 2*gamma*(t + 1))*e <= V + (2*gamma/p + 2*gamma*t)*d, by 2*gamma*u +"
                " 2*gamma*(t + 1)*s; gamma p > 0, t u s >= 0",
                "all t",
                words="<g, x - x*> = d + u and E d_{t+1} = e = d - s",
            ),
        ),
        Step(
            latex=r"(\tfrac{2\gamma}{p_{\min}} + 2\gamma T)\, \mathbb{E} d_T \leq R^2 +"
            r" \tfrac{2\gamma}{p_{\min}} \delta_0",
            text="From 0 to T, and the squared distance at the end is not negative.",
            check=formula(
                "((V + 2*gamma/p*delta)/(2*gamma/p + 2*gamma*T)) = (V/(2*gamma) + delta/p)/(T +"
                " 1/p); gamma p > 0, V delta T >= 0",
                "all T",
            ),
        ),
    ),
    formal=Formal(
        "energy_falls convex_by_LM",
        "E[f(x_T) - f*] <= (R^2/(2 gamma) + delta_0/p_min) / (T + 1/p_min) for gamma <= 1/L_M",
        instance="our_functionValues.function_values_instance",
    ),
)

WEIGHTED_MEAN = Entry(
    label="our:weightedMean",
    title="SkGD, convex: a better mean where no block is certain",
    latex=(
        r"\bar{x} = \frac{x^0 + \dots + x^{T-1} + x^T / p_{\max}}{T + 1/p_{\max}}: \quad"
        r" \mathbb{E}[f(\bar x) - f^*] \leq \frac{p_{\max} \|x^0 - x^*\|^2}"
        r"{2\gamma (1 + p_{\max} T)}, \quad 0 < \gamma \leq \tfrac{1}{L_P}"
    ),
    text=(
        "For p_max = 1 it is our:convexSharp. For p_max < 1 it is better: the squared distance at"
        " the end is used instead of dropped."
    ),
    assumptions=("f is convex and L-smooth with a minimizer x*", FRESH),
    bound=Bound.UPPER,
    needs=("text:SkGD", "as:matrixSmoothness", "as:convex"),
    proof_needs=("our:convexSharp", "fact:jensen"),
    checks=(holds_on_runs("our:weightedMean"),),
    steps=(
        Step(
            latex=r"d_T \leq \tfrac12 (x - x^*)^\top L (x - x^*) \leq \tfrac{1}{2\gamma}"
            r" \|x - x^*\|_P^2 \leq \tfrac{p_{\max}}{2\gamma} \|x - x^*\|^2",
            text="Smoothness at the minimizer, where the gradient is zero.",
            check=formula(
                "p_i*x_i^2/(2*gamma) <= (p_i + r_i)*x_i^2/(2*gamma), by r_i*x_i^2/(2*gamma);"
                " gamma > 0, p_i r_i >= 0",
                "coordinate i, so all dimensions",
                words="p_max = p_i + r_i",
            ),
        ),
        Step(
            latex=r"2\gamma \sum_{t < T} \mathbb{E} d_t + \tfrac{2\gamma}{p_{\max}} \mathbb{E} d_T"
            r" \leq 2\gamma \sum_{t < T} \mathbb{E} d_t + \mathbb{E}\|x^T - x^*\|^2 \leq"
            r" \|x^0 - x^*\|^2",
            text="The steps of our:convexSharp, added up.",
            check=formula(
                "2*gamma*A + 2*gamma/p*d <= 2*gamma*A + (2*gamma/p*d + s), by s; gamma p > 0,"
                " A d s >= 0",
                "all T",
                words="E|x_T - x*|^2 = (2 gamma / p_max) d + s",
            ),
        ),
        Step(
            latex=r"\frac{\|x^0 - x^*\|^2}{2\gamma (T + 1/p_{\max})} = \frac{p_{\max}"
            r" \|x^0 - x^*\|^2}{2\gamma (1 + p_{\max} T)}",
            text="Jensen's inequality with these weights.",
            check=formula(
                "V/(2*gamma*(T + 1/p)) = p*V/(2*gamma*(1 + p*T)); gamma p > 0, V T >= 0", "all T"
            ),
        ),
    ),
    formal=Formal(
        "gap_below_distance weighted_mean",
        "E[f(mean) - f*] <= |x_0 - x*|^2 / (2 gamma (T + 1/p_max)) with the last iterate weighted"
        " 1/p_max",
        instance="our_convexSharp.convex_instance",
    ),
)

CLAIMS = (
    ANY_SAMPLING,
    SINGLE_BLOCK,
    INDEPENDENT,
    BUDGET,
    BACKPROPAGATION,
    BACKPROPAGATION_BY_LM,
    NESTED_LOSS,
    NESTED_WORST,
    CONVEX_BY_LM,
    WEIGHTED_MEAN,
)
