"""Which theorem of which file says what: the one list of what is formalised."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Formal:
    """The theorems of a file that together say what a label says.

    Attributes
    ----------
    file : str
        The file's stem.
    theorems : tuple of str
        In reading order; wrong twins and instances are among them.
    text : str
        What they say, in words.
    missing : str
        What of the label's statement (the corrected one, where there is one) they leave out; empty where they say all
        of it.
    refutes : bool
        Whether they refute what the label says.
    """

    file: str
    theorems: tuple[str, ...]
    text: str
    missing: str = ""
    refutes: bool = False


def _formal(theorems: str, text: str, missing: str = "", *, file: str = "", refutes: bool = False) -> Formal:
    """With the file named after the label, unless it says another."""
    return Formal(file, tuple(theorems.split()), text, missing, refutes)


_BY_LABEL: dict[str, Formal] = {
    "fact:congruence": _formal(
        "form_congruent congruent_psd congruent_le",
        "T'MT is positive semidefinite if M is, and M <= N implies T'MT <= T'NT",
    ),
    "fact:cauchySchwarz": _formal(
        "cauchy_schwarz cauchy_schwarz_equal titu",
        "(sum a_i b_i)^2 <= sum a_i^2 sum b_i^2, with equality exactly when a and b are proportional",
    ),
    "fact:schurProduct": _formal(
        "schur_product inner_psd schur_product_needs_psd",
        "the entrywise product of positive semidefinite matrices is positive semidefinite; not so for indefinite ones",
    ),
    "fact:cocoercivity": _formal(
        "cocoercive cocoercive_kernel cocoercive_weighted",
        "f(y) >= f(x) + <g(x), y - x> + |w|^2_{L^+}/2, w = g(y) - g(x) orthogonal to the kernel of L",
        "that w is then in the range of L; the second inequality, the sum of two of the first",
    ),
    "fact:jensen": _formal(
        "jensen_weighted jensen",
        "a convex function of a mean is at most the mean of the function",
    ),
    "text:matrixSmooth": _formal(
        "quadratic_smooth concave_is_zero_smooth",
        "a quadratic with Hessian H is L-smooth exactly when H <= L; a concave one is 0-smooth",
        "concave functions that are no quadratics",
    ),
    "as:stronglyConvex": _formal(
        "mu_below_L",
        "L-smooth and mu-strongly convex implies mu I <= L",
        file="text_matrixSmooth",
    ),
    "text:SkGD": _formal(
        "sketch_unbiased",
        "E[C v] = v for every sampling",
    ),
    "lem:key_quantity": _formal(
        "key_quantity_left key_quantity_right key_quantity_left_sharp printed_inference_fails",
        "L_M <= L_P <= lambda_max(L) lambda_max(P^-1); no factor below 1 will do; the printed step is false",
    ),
    "our:keyQuantity": _formal(
        "key_quantity_left",
        "L_M <= L_P for every sampling and every L",
        file="lem_key_quantity",
    ),
    "lem:generalizedSmoothness": _formal(
        "generalized_smoothness generalized_smoothness_sharp",
        "|g(x)|^2_W <= 2A (f(x) - f*), W diagonal and positive; no factor below 2 will do",
    ),
    "our:generalizedSmoothness": _formal(
        "generalized_smoothness_form",
        "the same for every symmetric positive semidefinite W with WLW <= AW, and every lower bound f*",
        file="lem_generalizedSmoothness",
    ),
    "lem:secondMoment": _formal(
        "second_moment_exact second_moment second_moment_needs_the_square",
        "E|C g|^2 = |g|^2_{P^-1} <= 2 L_P (f - f*); without the square both relations fail",
    ),
    "thm:rcdStronglyConvex": _formal(
        "strongly_convex_rate strongly_convex_instance",
        "E|x_T - x*|^2 <= (1 - gamma mu)^T |x_0 - x*|^2; the hypotheses can be met",
    ),
    "our:stronglyConvex": _formal(
        "strongly_convex_step strongly_convex_rate",
        "the same, and one step with the term - 2 gamma (1 - gamma L_P)(f - f*)",
        file="thm_rcdStronglyConvex",
    ),
    "our:freshDraws": _formal(
        "one_draw_for_all_steps",
        "with the same draw in every step the theorem fails: 1/2 > 1/4",
    ),
    "our:stronglyConvexConjecture": _formal(
        "conjecture_refuted",
        "the conjectured factor is refuted: 661/810 > 660/810",
        refutes=True,
    ),
    "our:stronglyConvexSharp": _formal(
        "sharp_step sharp_rate",
        "the factor 1 - 2s + theta, for every l above all e_k and every theta above the terms of l",
        "that only the least and the largest probability matter to theta",
    ),
    "our:stronglyConvexSimple": _formal(
        "simple_rate simple_better",
        "the factor 1 - 2 s p_min / (p_min + s), at most 1 - s",
        "that it is less unless p_min = s",
    ),
    "thm:rcdConvex": _formal(
        "rcd_convex rcd_convex_steps",
        "E[f(mean) - f*] <= |x_0 - x*|^2 / (gamma (T + 1)), and the number of steps",
    ),
    "our:convexSharp": _formal(
        "convex_sharp convex_instance",
        "half of that bound for stepsizes up to 1/L_P; the hypotheses can be met",
    ),
    "our:convexAttained": _formal(
        "huber_convex huber_smooth huber_minimiser huber_attains",
        "the Huber function attains our:convexSharp, for every T",
    ),
    "our:lastIterate": _formal(
        "last_iterate",
        "E[f(x_T) - f*] <= |x_0 - x*|^2 / ((3T + 1) gamma), T >= 1",
    ),
    "our:lastIterateOne": _formal(
        "last_iterate_one",
        "E[f(x_1) - f*] <= L_P |x_0 - x*|^2 / (2 (1 + 2 gamma L_P))",
    ),
    "thm:rcdNonconvex": _formal(
        "rcd_nonconvex rcd_nonconvex_steps",
        "E|g(x^)|^2 <= 2 delta_0 / (gamma (T + 1)), x^ with the least gradient, and the number of steps",
    ),
    "text:replaceLPbyLM": _formal(
        "least_gradient least_gradient_sharp",
        "the same for stepsizes up to 1/L_M; no factor below 2 will do",
    ),
    "our:nonconvexOneStep": _formal(
        "one_step_equal one_step_line",
        "one step is an equality where g(x) is a top vector of E[CLC]",
        "that there is such an x if L is invertible",
    ),
    "our:nonconvexRandomIterate": _formal(
        "random_iterate",
        "the bound of thm:rcdNonconvex for an iterate with a random number",
    ),
    "our:LMconvex": _formal(
        "distance_grows",
        "with gamma <= 1/L_M the expected distance may grow",
    ),
    "our:functionValues": _formal(
        "function_values single_coordinate_LM",
        "E[f(x_T) - f*] <= (1 - gamma mu)^T (f(x_0) - f*), gamma <= 1/L_M; L_M = sum_j L_jj, one coordinate at a time",
        "the change of coordinates for other exponents",
    ),
    "our:polyakLojasiewicz": _formal(
        "polyak_lojasiewicz",
        "the same with 2 mu (f - f*) <= |g|^2 in place of strong convexity, for every lower bound f*",
        file="our_functionValues",
    ),
    "our:proximal": _formal(
        "proximal_rate",
        "E|x_T - x*|^2 <= (1 - gamma mu)^T |x_0 - x*|^2 with maps of single coordinates that do not expand and fix x*",
        "that the prox of a convex function is such a map; blocks of several coordinates",
    ),
    "our:noisyConvex": _formal(
        "noisy_convex block_variance noisy_instance",
        "E[f(mean) - f*] <= (|x_0 - x*|^2 / (gamma (T + 1)) + gamma sum_k v_k / p_k) / (2m), m = min(1, 2 - gamma L_P)",
        file="our_noisy",
    ),
    "our:noisyStronglyConvex": _formal(
        "noisy_strongly_convex block_variance noisy_instance",
        "the factor 1 - gamma mu (2 - gamma L_P), and the noise added up",
        file="our_noisy",
    ),
    "our:noisyNonconvex": _formal(
        "noisy_nonconvex noisy_instance",
        "the mean of E|g(x_t)|^2 <= (2 delta_0 / (gamma (T + 1)) + gamma L_M sum_k v_k) / (2 - gamma L_M)",
        file="our_noisy",
    ),
    "def:PTsketch": _formal(
        "chance_sum nested_probabilities nested_unbiased nested_square nested_pair",
        "the PT-sketch is a sampling: E[C] = I, E[C^2] = P^-1, whatever the ranks of the blocks",
    ),
    "text:RPTisSkGD": _formal(
        "nested_probabilities",
        "rank j is updated with probability p_j, so every theorem on samplings holds for RPT",
        file="def_PTsketch",
    ),
    "text:sigma": _formal(
        "sigma_readings",
        "for a 3-cycle the two readings of sigma give L_P = 20 and 45",
        "that the readings agree for involutions only; which formulas are right in which",
    ),
    "as:normalized": _formal(
        "relative_cost closed_form_scales",
        "the scale of the costs changes neither relative costs nor the closed form",
    ),
    "text:expectedCost": _formal(
        "abel expected_cost expected_cost_per_block expected_cost_readings expected_cost_steps",
        "the expected cost is sum_i p_i c_{sigma_i}, in both readings of sigma, and T times that for T steps",
    ),
    "text:gradientDescent": _formal(
        "gd_step gd_LP gd_cost",
        "p = 1 is gradient descent, with L_P = lambda_max(L) and cost 1",
    ),
    "our:twoBounds": _formal(
        "blockwise two_bounds_upper",
        "lambda_max(M) <= sum_k lambda_max(M_kk) for M positive semidefinite",
    ),
    "nesterov2012:lemma1": _formal(
        "blockwise",
        "the same for any norms of the blocks",
        "that rank one attains it",
        file="our_twoBounds",
    ),
    "our:indefinite": _formal(
        "two_bounds_needs_psd two_bounds_needs_psd_zero",
        "not so for indefinite M: 3 > 1 + 1, and 1 > 0 + 0",
    ),
    "lem:twoBounds": _formal(
        "two_bounds_lower two_bounds two_bounds_sharp",
        "max_k M_k <= M <= sum_k M_k; nothing less than the sum will do",
    ),
    "our:tightness": _formal(
        "aligned_blocks aligned_psd aligned_LP aligned_definite",
        "the matrix with given blocks that aligns their top vectors: semidefinite, definite, L_P >= sum_k a_k / p_k",
        "the value of c*",
    ),
    "text:blocksExtension": _formal(
        "aligned_blocks aligned_LP aligned_definite",
        "prop:reachable_upper_bound for B blocks",
        "the supremum itself, as eps tends to 0",
        file="our_tightness",
    ),
    "prop:reachable_upper_bound": _formal(
        "reachable_definite reachable_psd reachable_top",
        "two blocks: M is positive definite and lambda_max(M) >= lambda_1 + lambda_2 - eps",
    ),
    "text:productBound": _formal(
        "product_bound_LP product_bound",
        "L_P <= sum_k L_k / p_k, so c(P) <= sum_k L_k / p_k sum_k p_k c_k",
    ),
    "lem:upperBound": _formal(
        "upper_bound upper_bound_met upper_bound_met_only",
        "that product is at least (sum_k sqrt(L_k c_k))^2, met exactly by p proportional to sqrt(L_k / c_k)",
    ),
    "our:sdp": _formal(
        "sdp_from_p sdp_from_q sdp_infimum feasible_ge0 feasible_convex",
        "min c(P) is the minimum of <c, q> over BlockDiag(q_k I) >= L: both directions, and the feasible set is convex",
        "that the minimum is attained",
    ),
    "our:duality": _formal(
        "weak_duality no_gap_is_optimal duality_instance",
        "<L, Y> <= <c, q> for feasible Y and q, and a pair without gap is optimal",
        "that a pair without gap exists",
    ),
    "our:sandwich": _formal(
        "sandwich_below sandwich_closed sandwich_above sandwich_gd sandwich_factor_attained",
        "sum c_k L_k <= c* <= c(P_closed) <= (sum s_k)^2 <= B sum c_k L_k, attained, and c* <= lambda_max(L)",
        "the factor B for block-diagonal L other than I",
    ),
    "text:corollary": _formal(
        "corollary_gd corollary_closed",
        "the optimum is at most lambda_max(L) and at most (sum_k sqrt(L_k c_k))^2",
    ),
    "our:closedFormFactor": _formal(
        "closed_form_factor closed_form_factor_attained",
        "c(P_closed) <= (1 + sqrt(B))/2 c*, attained",
    ),
    "our:whenRPTHelps": _formal(
        "rpt_does_not_help equal_costs_no_help unequal_costs_help",
        "if the top eigenspace holds a Y with block traces c_k then c* = lambda_max(L); both examples",
        "the converse",
    ),
    "our:logConvex": _formal(
        "LP_log_convex cost_log_convex",
        "c(P) at the geometric mean of p and p' is at most the mean of its values",
        "other points between p and p' than the middle; two blocks on p = (1, t)",
    ),
    "our:overhead": _formal(
        "overhead_from_p overhead_from_q overhead_duality",
        "with a fixed cost per step: both directions, and weak duality",
        "strong duality; that the minimum is attained",
    ),
    "our:forcedOrder": _formal(
        "forced_order_cost forced_order_from_p forced_order_from_q forced_order_shift",
        "with a forced order: the expected cost is linear in p, both directions",
        "that the minimum is attained",
    ),
    "text:nonconvex": _formal(
        "not_convex",
        "c(P) is not convex in p, even on p_1 = 1: 17/8 > 33/16",
    ),
    "our:samplingIndependence": _formal(
        "cost_of_marginals LP_of_marginals LM_depends",
        "cost and L_P depend on the marginals alone, L_M does not: 4 and 2",
    ),
    "our:secondMomentConvex": _formal(
        "nested_moment ordered_convex cost_convex ordered_scales orders_not_convex",
        "for a fixed order E[CLC] is linear in 1/p and the problem is convex; over the orders it is not",
        "that the minimum is attained",
    ),
    "our:genericNonconvex": _formal(
        "generic_geometric generic_power generic_steps",
        "min_t E|g(x_t)|^2 <= q^T delta_0 / (gamma T), at most eps after 4 delta_0^2 LA / eps^2 steps (not e^2)",
    ),
    "thm:non-convex": _formal(
        "generic_printed generic_steps",
        "the generic nonconvex bound; 4 in place of 144",
        file="our_genericNonconvex",
    ),
    "our:genericConvex": _formal(
        "generic_convex",
        "E[f(mean) - f*] <= |x_0 - x*|^2 / (2 gamma (1 - gamma A) T)",
        "the factor 2/3, and that gamma = 1/(2A) is the best",
    ),
    "thm:oldConvex": _formal(
        "old_convex",
        "the printed generic convex bound, with T points in the mean",
        file="our_genericConvex",
    ),
    "text:ABCtwoWays": _formal(
        "ABC_first ABC_second",
        "the ABC assumption holds with (L_P, 0, 0) and (0, lambda_max(P^-1), 0)",
    ),
    "text:ABCnoOtherWays": _formal(
        "ABC_other_ways",
        "refuted: there are other ways",
        refutes=True,
        file="text_ABCtwoWays",
    ),
    "text:LPgeqL": _formal(
        "LP_geq_L",
        "lambda_max(L) <= L_P",
        file="our_LPgeqL",
    ),
    "our:LPgeqL": _formal(
        "LP_geq_L",
        "lambda_max(L) <= L_P",
    ),
    "text:LambdaGeqLP": _formal(
        "key_quantity_right",
        "L_P <= lambda_max(L) lambda_max(P^-1)",
        file="lem_key_quantity",
    ),
    "our:portableCertificate": _formal(
        "gram_psd dominant_psd certificate dominance_needed",
        "R'R is positive semidefinite, and so is a symmetric matrix whose diagonal dominates, and their sum",
    ),
}

FORMAL = {label: replace(one, file=one.file or label.replace(":", "_")) for label, one in _BY_LABEL.items()}
