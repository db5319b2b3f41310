"""Which theorem of which file says what: the one list of what is formalized."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Formal:
    """The theorems of a file that together say what a label says.

    Attributes
    ----------
    file : str
        The file's stem.
    theorems : tuple of str
        In reading order; refuted stronger statements and instances are among them.
    text : str
        A summary of the theorems in words.
    missing : str
        The part of the label's statement (the corrected one, where there is one) that the theorems
        leave out; empty if they say all of it.
    refutes : bool
        True if the theorems refute the label's statement.
    instance : str
        `file.theorem`, a theorem which shows that the hypotheses can be met.
    no_instance : str
        The reason why no instance is needed, if there is none.
    """

    file: str
    theorems: tuple[str, ...]
    text: str
    missing: str = ""
    refutes: bool = False
    instance: str = ""
    no_instance: str = ""

    @property
    def names(self) -> list[str]:
        """The theorems and the instance, each as `file.theorem`."""
        names = [f"{self.file}.{theorem}" for theorem in self.theorems]
        if self.instance and self.instance not in names:
            names.append(self.instance)
        return names


def _formal(
    theorems: str,
    text: str,
    missing: str = "",
    *,
    instance: str = "",
    no_instance: str = "",
    refutes: bool = False,
    file: str = "",
) -> Formal:
    """Make an entry; without `file` its file is named after the label."""
    return Formal(file, tuple(theorems.split()), text, missing, refutes, instance, no_instance)


def _complete(label: str, entry: Formal) -> Formal:
    """Return the entry with the file filled in and the instance qualified by its file."""
    file = entry.file or label.replace(":", "_")
    instance = entry.instance
    if instance and "." not in instance:
        instance = f"{file}.{instance}"
    return replace(entry, file=file, instance=instance)


_BY_LABEL: dict[str, Formal] = {
    "fact:congruence": _formal(
        "form_congruent congruent_psd congruent_le congruence_instance",
        "T'MT is positive semidefinite if M is, and M <= N implies T'MT <= T'NT",
        instance="congruence_instance",
    ),
    "fact:cauchySchwarz": _formal(
        "cauchy_schwarz cauchy_schwarz_equal titu",
        "(sum a_i b_i)^2 <= sum a_i^2 sum b_i^2, with equality exactly when a and b are"
        " proportional",
        no_instance=(
            "the first two theorems have no hypotheses, and titu asks for positive weights only"
        ),
    ),
    "fact:schurProduct": _formal(
        "schur_product inner_psd schur_product_needs_psd schur_product_instance",
        "the entrywise product of positive semidefinite matrices, one of them symmetric, is "
        "positive semidefinite; not so for indefinite ones",
        instance="schur_product_instance",
    ),
    "fact:cocoercivity": _formal(
        "cocoercive cocoercive_pair cocoercive_kernel cocoercive_weighted cocoercive_instance",
        "f(y) >= f(x) + <g(x), y - x> + u'Lu/2 and <g(x) - g(y), x - y> >= u'Lu, where w = "
        "g(y) - g(x) = Lu, so that u'Lu = |w|^2_{L^+}; w is orthogonal to the kernel of L",
        "that w, being orthogonal to the kernel of L, is in the range of L",
        instance="cocoercive_instance",
    ),
    "fact:jensen": _formal(
        "jensen_weighted jensen",
        "a convex function of a mean is at most the mean of the function",
        instance="our_convexSharp.convex_instance",
    ),
    "text:matrixSmooth": _formal(
        "quadratic_smooth concave_is_zero_smooth concave_smooth matrix_smooth_instance",
        "a quadratic with Hessian H is L-smooth exactly when H <= L; every concave f is 0-smooth",
        instance="matrix_smooth_instance",
    ),
    "as:stronglyConvex": _formal(
        "mu_below_L",
        "L-smooth and mu-strongly convex implies mu |x|^2 <= x'Lx for all x",
        instance="thm_rcdStronglyConvex.strongly_convex_instance",
        file="text_matrixSmooth",
    ),
    "text:SkGD": _formal(
        "sketch_unbiased",
        "E[C v] = v for every sampling",
        no_instance="it has no hypotheses",
    ),
    "lem:key_quantity": _formal(
        "key_quantity_left key_quantity_right key_quantity_left_sharp printed_display "
        "printed_inference_holds key_quantity_instance",
        "L_M <= L_P <= lambda_max(L) lambda_max(P^-1); no factor below 1 will do; the display "
        "of the printed proof and the inference from it hold",
        instance="key_quantity_instance",
    ),
    "our:keyQuantity": _formal(
        "key_quantity_left",
        "L_M <= L_P for every sampling and every L",
        instance="key_quantity_instance",
        file="lem_key_quantity",
    ),
    "lem:generalizedSmoothness": _formal(
        "generalized_smoothness generalized_smoothness_sharp",
        "|g(x)|^2_W <= 2A (f(x) - f*), W diagonal and positive; no factor below 2 will do",
        instance="generalized_smoothness_sharp",
    ),
    "our:generalizedSmoothness": _formal(
        "generalized_smoothness_form generalized_smoothness_instance",
        "|g(x)|^2_W <= 2A (f(x) - f*) for every symmetric positive semidefinite W with WLW <= AW "
        "and every lower bound f*",
        instance="generalized_smoothness_instance",
        file="lem_generalizedSmoothness",
    ),
    "lem:secondMoment": _formal(
        "second_moment_exact second_moment second_moment_needs_the_square",
        "E|C g|^2 = |g|^2_{P^-1} <= 2 L_P (f - f*); without the square both relations fail",
        instance="second_moment_needs_the_square",
    ),
    "thm:rcdStronglyConvex": _formal(
        "strongly_convex_rate strongly_convex_instance",
        "E|x_T - x*|^2 <= (1 - gamma mu)^T |x_0 - x*|^2",
        instance="strongly_convex_instance",
    ),
    "our:stronglyConvex": _formal(
        "strongly_convex_step strongly_convex_rate",
        "E|x_T - x*|^2 <= (1 - gamma mu)^T |x_0 - x*|^2, and one step with the term - 2 gamma (1 -"
        " gamma L_P)(f - f*)",
        instance="strongly_convex_instance",
        file="thm_rcdStronglyConvex",
    ),
    "our:freshDraws": _formal(
        "one_draw_for_all_steps",
        "with the same draw in every step the theorem fails: 1/2 > 1/4",
        no_instance="it is an example",
    ),
    "our:stronglyConvexConjecture": _formal(
        "conjecture_refuted",
        "the conjectured factor is refuted: 661/810 > 660/810",
        no_instance="it is an example",
        refutes=True,
    ),
    "our:stronglyConvexSharp": _formal(
        "sharp_step sharp_rate sharp_instance",
        "the factor 1 - 2s + theta, for every l above all e_k and every theta above the terms of l",
        "that a least theta exists; that only the least and the largest probability matter to it",
        instance="sharp_instance",
    ),
    "our:stronglyConvexSimple": _formal(
        "simple_rate simple_better simple_strictly_better",
        "the factor 1 - 2 s p_min / (p_min + s) for T steps, at most 1 - s, and less where s <"
        " p_min",
        instance="our_stronglyConvexSharp.sharp_instance",
    ),
    "thm:rcdConvex": _formal(
        "rcd_convex rcd_convex_steps",
        "E[f(mean) - f*] <= |x_0 - x*|^2 / (gamma (T + 1)), and the number of steps",
        instance="our_convexSharp.convex_instance",
    ),
    "our:convexSharp": _formal(
        "convex_sharp convex_instance",
        "E[f(mean) - f*] <= |x_0 - x*|^2 / (2 gamma (T + 1)) for stepsizes up to 1/L_P",
        instance="convex_instance",
    ),
    "our:convexAttained": _formal(
        "huber_convex huber_smooth huber_minimiser huber_LP huber_attains huber_instance",
        "the Huber function of a coordinate that is always updated, among any others, attains "
        "our:convexSharp for every T with L_P = gamma = 1",
        instance="huber_instance",
    ),
    "our:lastIterate": _formal(
        "last_iterate",
        "E[f(x_T) - f*] <= |x_0 - x*|^2 / ((3T + 1) gamma), T >= 1",
        instance="our_convexSharp.convex_instance",
    ),
    "our:lastIterateOne": _formal(
        "last_iterate_one",
        "E[f(x_1) - f*] <= L_P |x_0 - x*|^2 / (2 (1 + 2 gamma L_P))",
        instance="our_convexSharp.convex_instance",
    ),
    "thm:rcdNonconvex": _formal(
        "rcd_nonconvex rcd_nonconvex_steps",
        "E|g(x^)|^2 <= 2 delta_0 / (gamma (T + 1)), x^ with the least gradient, and the number of"
        " steps",
        instance="text_replaceLPbyLM.least_gradient_instance",
    ),
    "text:replaceLPbyLM": _formal(
        "least_gradient least_gradient_sharp least_gradient_instance",
        "the bound of thm:rcdNonconvex for stepsizes up to 1/L_M; no factor below 2 will do",
        instance="least_gradient_instance",
    ),
    "our:nonconvexOneStep": _formal(
        "one_step_equal one_step_line one_step_instance",
        "one step is an equality where g(x) is a top vector of E[CLC]; |g(x)|^2 = 2 f(x) / "
        "gamma for f = L x^2/2 and gamma = 1/L",
        "that there is such an x if L is invertible",
        instance="one_step_instance",
    ),
    "our:nonconvexRandomIterate": _formal(
        "random_iterate",
        "the bound of thm:rcdNonconvex for the mean over tau = 0, ..., T of E|g(x_tau)|^2",
        instance="text_replaceLPbyLM.least_gradient_instance",
    ),
    "our:LMconvex": _formal(
        "distance_grows",
        "with gamma <= 1/L_M the expected distance may grow: the example of the label with f "
        "and 1/gamma divided by 100 and x by 10",
        no_instance="it is an example",
    ),
    "our:functionValues": _formal(
        "function_values single_coordinate_LM function_values_instance single_coordinate_instance",
        "E[f(x_T) - f*] <= (1 - gamma mu)^T (f(x_0) - f*), gamma <= 1/L_M; L_M <= s, one "
        "coordinate at a time with p_i = L_ii / s",
        "the change of coordinates for other exponents",
        instance="function_values_instance",
    ),
    "our:polyakLojasiewicz": _formal(
        "polyak_lojasiewicz",
        "the bound of our:functionValues with 2 mu (f - f*) <= |g|^2 in place of strong convexity, "
        "for every lower bound f*",
        instance="function_values_instance",
        file="our_functionValues",
    ),
    "our:proximal": _formal(
        "proximal_rate proximal_instance",
        "E|x_T - x*|^2 <= (1 - gamma mu)^T |x_0 - x*|^2 with maps of single coordinates that do not"
        " expand and fix x*",
        "that the prox of a convex function is such a map; blocks of several coordinates",
        instance="proximal_instance",
    ),
    "our:noisyConvex": _formal(
        "noisy_convex block_variance noisy_instance",
        "E[f(mean) - f*] <= (|x_0 - x*|^2 / (gamma (T + 1)) + gamma sum_k v_k / p_k) / (2m) "
        "for all m <= 1, 2 - gamma L_P; the noise may depend on the past",
        "noise whose law has infinitely many outcomes, a normal law for example",
        instance="noisy_instance",
        file="our_noisy",
    ),
    "our:noisyStronglyConvex": _formal(
        "noisy_strongly_convex block_variance noisy_instance",
        "the factor 1 - gamma mu (2 - gamma L_P), and the noise added up; the noise may depend on"
        " the past",
        "noise whose law has infinitely many outcomes, a normal law for example",
        instance="noisy_instance",
        file="our_noisy",
    ),
    "our:noisyNonconvex": _formal(
        "noisy_nonconvex block_variances_add noisy_instance",
        "the mean of E|g(x_t)|^2 <= (2 delta_0 / (gamma (T + 1)) + gamma L_M sum_k v_k) / (2 "
        "- gamma L_M); the noise may depend on the past",
        "noise whose law has infinitely many outcomes, a normal law for example",
        instance="noisy_instance",
        file="our_noisy",
    ),
    "def:PTsketch": _formal(
        "chance_sum nested_probabilities nested_unbiased nested_square nested_pair",
        "the PT-sketch is a sampling: E[C] = I, E[C^2] = P^-1, whatever the ranks of the blocks",
        no_instance=(
            "it has no hypotheses but 1 = p_1 >= ... >= p_B > 0, which p = (1, t) meets (Definition"
            " two)"
        ),
    ),
    "text:RPTisSkGD": _formal(
        "nested_probabilities",
        "rank j is updated with probability p_j, so every theorem on samplings holds for RPT",
        no_instance=(
            "it has no hypotheses but 1 = p_1 >= ... >= p_B > 0, which p = (1, t) meets (Definition"
            " two)"
        ),
        file="def_PTsketch",
    ),
    "text:sigma": _formal(
        "sigma_readings",
        "for a 3-cycle the two readings of sigma give L_P = 20 and 45",
        "that the readings agree for involutions only; which formulas are right in which",
        no_instance="it is an example",
    ),
    "as:normalized": _formal(
        "relative_cost closed_form_scales closed_form_unchanged normalized_instance",
        "the scale of the costs changes neither the cost relative to a full step nor the "
        "probabilities of lem:upperBound",
        instance="normalized_instance",
    ),
    "text:expectedCost": _formal(
        "abel expected_cost expected_cost_per_block expected_cost_readings expected_cost_steps",
        "the expected cost is sum_i p_i c_{sigma_i}, in both readings of sigma, and T times that"
        " for T steps",
        no_instance=(
            "its only hypothesis is that sigma and rho are inverse to each other, as the identity"
            " is to itself"
        ),
    ),
    "text:gradientDescent": _formal(
        "gd_sketch gd_step gd_LP gd_cost minimum_at_most_gd gd_instance",
        "p = 1 is gradient descent: C = I, L_P = lambda_max(L) = c(P), and every lower bound "
        "of c(P) is at most lambda_max(L), for costs that add up to one",
        instance="gd_instance",
    ),
    "our:twoBounds": _formal(
        "blockwise two_bounds_upper",
        "lambda_max(M) <= sum_k lambda_max(M_kk) for M positive semidefinite",
        instance="lem_twoBounds.two_bounds_sharp",
    ),
    "nesterov2012:lemma1": _formal(
        "blockwise",
        "x'Mx <= sum_k l_k sum_k N_k for M positive semidefinite with x_k'Mx_k <= l_k N_k in every"
        " block",
        "that rank one attains it",
        instance="lem_twoBounds.two_bounds_sharp",
        file="our_twoBounds",
    ),
    "our:indefinite": _formal(
        "two_bounds_needs_psd two_bounds_needs_psd_zero",
        "lambda_max(M) <= sum_k lambda_max(M_kk) fails for indefinite M: 3 > 1 + 1, and 1 > 0 + 0",
        no_instance="it is an example",
    ),
    "lem:twoBounds": _formal(
        "two_bounds_lower two_bounds two_bounds_sharp",
        "max_k M_k <= M <= sum_k M_k; nothing less than the sum will do",
        instance="two_bounds_sharp",
    ),
    "our:tightness": _formal(
        "aligned_blocks aligned_psd aligned_LP aligned_definite aligned_instance",
        "the matrix with given blocks that aligns their top vectors: semidefinite, definite, L_P >="
        " sum_k a_k / p_k",
        "that L_P is no larger (text:productBound); the value of c*",
        instance="aligned_instance",
    ),
    "text:blocksExtension": _formal(
        "aligned_blocks aligned_LP aligned_definite aligned_instance",
        "prop:reachable_upper_bound for B blocks",
        "the supremum itself, as eps tends to 0",
        instance="aligned_instance",
        file="our_tightness",
    ),
    "prop:reachable_upper_bound": _formal(
        "reachable_definite reachable_psd reachable_top reachable_instance",
        "two blocks: M is positive definite and lambda_max(M) >= lambda_1 + lambda_2 - eps",
        instance="reachable_instance",
    ),
    "text:productBound": _formal(
        "product_bound_LP product_bound",
        "L_P <= sum_k L_k / p_k, so c(P) <= sum_k L_k / p_k sum_k p_k c_k",
        instance="text_corollary.corollary_instance",
    ),
    "lem:upperBound": _formal(
        "upper_bound upper_bound_met upper_bound_met_only sorting_exists first_is_largest "
        "upper_bound_admissible upper_bound_minimizer upper_bound_minimizer_unique "
        "upper_bound_instance",
        "sum_k L_k / p_k sum_k p_k c_k >= (sum_k sqrt(L_k c_k))^2; an order that sorts sqrt(L_k / "
        "c_k) exists, and along it p_i = sqrt(L_i / c_i) / max is admissible and the only "
        "admissible p that meets the bound",
        instance="upper_bound_instance",
    ),
    "our:sdp": _formal(
        "sdp_from_p sdp_from_q sdp_infimum feasible_ge0 feasible_convex sdp_instance",
        "inf c(P) is the infimum of <c, q> over BlockDiag(q_k I) >= L: both directions, and the"
        " feasible set is convex",
        "that the minimum is attained",
        instance="sdp_instance",
    ),
    "our:duality": _formal(
        "weak_duality no_gap_is_optimal duality_instance",
        "<L, Y> <= <c, q> for feasible Y and q, and a pair without gap is optimal",
        "that a pair without gap exists",
        instance="duality_instance",
    ),
    "our:sandwich": _formal(
        "sandwich_below sandwich_closed sandwich_above sandwich_gd sandwich_factor_attained",
        "sum c_k L_k <= c* <= c(P_closed) <= (sum s_k)^2 <= B sum c_k L_k, the factor B "
        "attained by L = I, and c* <= lambda_max(L)",
        "the factor B for block-diagonal L other than I",
        instance="text_corollary.corollary_instance",
    ),
    "text:corollary": _formal(
        "corollary_gd corollary_closed corollary_instance",
        "an optimal c(P) is at most lambda_max(L) and at most (sum_k sqrt(L_k c_k))^2",
        "that an optimal P exists",
        instance="corollary_instance",
    ),
    "our:closedFormFactor": _formal(
        "closed_form_factor closed_form_factor_attained closed_form_factor_not_by_identity"
        " closed_form_factor_instance",
        "c(P_closed) <= (1 + sqrt(B))/2 c* where a vector attains L_P; attained by a diagonal "
        "L with L_P = 1 + sqrt(B), and not by L = I",
        "that a vector attains L_P, which holds over the real numbers",
        instance="closed_form_factor_instance",
    ),
    "our:whenRPTHelps": _formal(
        "rpt_does_not_help equal_costs_no_help unequal_costs_help",
        "if the eigenspace of lambda_max(L) holds a Y with block traces c_k then no q, hence "
        "no p, costs less than lambda_max(L); both examples",
        "the converse; the case of a simple top eigenvector",
        instance="equal_costs_no_help",
    ),
    "our:logConvex": _formal(
        "LP_log_convex cost_log_convex log_convex_instance",
        "c(P) at the geometric mean of p and p' is at most the mean of its values",
        "the formula as a supremum; other points between p and p' than the middle; two blocks on p"
        " = (1, t)",
        instance="log_convex_instance",
    ),
    "our:overhead": _formal(
        "overhead_from_p overhead_from_q overhead_duality overhead_instance",
        "with a fixed cost per step: both directions for q > 0, and weak duality",
        "strong duality; that the minimum is attained; that a q with zeros is approached",
        instance="overhead_instance",
    ),
    "our:forcedOrder": _formal(
        "forced_order_cost forced_order_from_p forced_order_from_q forced_order_shift"
        " forced_order_instance",
        "with a forced order: the expected cost is linear in p, both directions",
        "that the minimum is attained",
        instance="forced_order_instance",
    ),
    "text:nonconvex": _formal(
        "not_convex",
        "c(P) is not convex in p, even on p_1 = 1: 17/8 > 33/16",
        no_instance="it is an example",
    ),
    "our:samplingIndependence": _formal(
        "cost_of_marginals LP_of_marginals LM_depends",
        "cost and L_P depend on the marginals alone; L_M does not: with p = (1, 1/2, 1/2) it "
        "is 4 for the nested sampling and 2 where blocks 2 and 3 exclude each other",
        instance="LM_depends",
    ),
    "our:secondMomentConvex": _formal(
        "nested_moment ordered_convex cost_convex ordered_scales second_moment_from_p "
        "second_moment_from_r orders_not_convex second_moment_instance",
        "for a fixed order E[CLC] is linear in 1/p, the problem in r is convex and has the "
        "same infimum; over the orders it is not convex",
        "where the infima are attained, and where not",
        instance="second_moment_instance",
    ),
    "our:genericNonconvex": _formal(
        "generic_geometric generic_power generic_chain generic_steps generic_instance",
        "min_t E|g(x_t)|^2 <= L A gamma delta_0 / (1 - q^-T) <= q^T delta_0 / (gamma T), at "
        "most eps after 4 delta_0^2 LA / eps^2 steps; the estimator may depend on the past",
        "estimators whose law has infinitely many outcomes",
        instance="generic_instance",
    ),
    "thm:non-convex": _formal(
        "generic_printed generic_steps generic_instance",
        "the generic nonconvex bound, with 4 in place of 144; the estimator may depend on the past",
        "estimators whose law has infinitely many outcomes",
        instance="generic_instance",
        file="our_genericNonconvex",
    ),
    "our:genericConvex": _formal(
        "generic_convex generic_convex_two_thirds generic_convex_best",
        "E[f(mean) - f*] <= |x_0 - x*|^2 / (2 gamma (1 - gamma A) T), at most two thirds of "
        "|x_0 - x*|^2 / (gamma T) for gamma <= 1/(4A), least at gamma = 1/(2A); the estimator "
        "may depend on the past",
        "estimators whose law has infinitely many outcomes",
        instance="our_genericNonconvex.generic_instance",
    ),
    "thm:oldConvex": _formal(
        "old_convex",
        "the printed generic convex bound, with T points in the mean; the estimator may depend on"
        " the past",
        "estimators whose law has infinitely many outcomes",
        instance="our_genericNonconvex.generic_instance",
        file="our_genericConvex",
    ),
    "text:ABCtwoWays": _formal(
        "ABC_first ABC_second ABC_below_mixtures",
        "the ABC assumption holds with (L_P, 0, 0) and (0, lambda_max(P^-1), 0)",
        instance="ABC_below_mixtures",
    ),
    "text:ABCnoOtherWays": _formal(
        "ABC_other_ways ABC_mixture ABC_below_mixtures",
        "there are other ways: all mixtures of the two, and one below all mixtures",
        instance="ABC_below_mixtures",
        file="text_ABCtwoWays",
    ),
    "text:LPgeqL": _formal(
        "LP_geq_L LP_geq_L_instance",
        "lambda_max(L) <= L_P",
        instance="LP_geq_L_instance",
        file="our_LPgeqL",
    ),
    "our:LPgeqL": _formal(
        "LP_geq_L LP_geq_L_instance",
        "lambda_max(L) <= L_P",
        instance="LP_geq_L_instance",
    ),
    "text:LambdaGeqLP": _formal(
        "key_quantity_right",
        "L_P <= lambda_max(L) lambda_max(P^-1)",
        instance="key_quantity_instance",
        file="lem_key_quantity",
    ),
    "our:portableCertificate": _formal(
        "gram_psd dominant_psd certificate dominance_needed certificate_instance",
        "R'R is positive semidefinite, and so is a symmetric matrix whose diagonal dominates, and"
        " their sum",
        instance="certificate_instance",
    ),
}

FORMAL = {label: _complete(label, entry) for label, entry in _BY_LABEL.items()}

# The prefixes of the labels of each group. The paper's remarks have no label in its LaTeX source.
_GROUPS = {
    "the paper's labeled statements": ("as", "def", "lem", "prop", "thm"),
    "the paper's remarks": ("text",),
    "our theorems": ("our",),
    "textbook facts": ("fact", "nesterov2012"),
}


@dataclass(frozen=True)
class Count:
    """The number of labels whose theorems say all of the statement (`whole`) and a part of it
    (`part`).
    """

    whole: int
    part: int


def counts() -> dict[str, Count]:
    """Return the number of formalized labels of each group."""
    result = {}
    for group, prefixes in _GROUPS.items():
        entries = [entry for label, entry in FORMAL.items() if label.partition(":")[0] in prefixes]
        part = sum(bool(entry.missing) for entry in entries)
        result[group] = Count(len(entries) - part, part)
    return result
