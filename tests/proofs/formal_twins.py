"""A wrong twin for every file of theorems: a statement that is a little stronger, and false."""

# File: the theorem, what its statement says, and what the twin says instead.
TWINS = {
    "as_normalized": ("relative_cost", r"/ (\sum_k c k).", r"/ (2 * \sum_k c k)."),
    "def_PTsketch": ("nested_square", "(p (rank i))^-1", "p (rank i)"),
    "fact_cauchySchwarz": ("cauchy_schwarz", "normsq a * normsq b", "normsq a * normsq b / 2"),
    "fact_cocoercivity": ("cocoercive", "2^-1 * form L u", "form L u"),
    "fact_congruence": ("congruent_psd", "psd M -> ", ""),
    "fact_jensen": ("jensen_weighted", r"<= \sum_j a j * f (y j)", r"<= (\sum_j a j * f (y j)) / 2"),
    "fact_schurProduct": ("schur_product", "psd A -> ", ""),
    "lem_generalizedSmoothness": ("generalized_smoothness_form", "2 * A *", "A *"),
    "lem_key_quantity": ("key_quantity_left", "LM_at_most S L t", "LM_at_most S L (t / 2)"),
    "lem_secondMoment": ("second_moment", "<= 2 * t *", "<= t *"),
    "lem_twoBounds": ("two_bounds", r"(\sum_k l k)", r"((\sum_k l k) / 2)"),
    "lem_upperBound": ("upper_bound", r"(\sum_k s k) ^+ 2 <=", r"2 * (\sum_k s k) ^+ 2 <="),
    "our_LMconvex": ("distance_grows", "LM_at_most S3 L 360", "LM_at_most S3 L 180"),
    "our_LPgeqL": ("LP_geq_L", "top_at_most L t", "top_at_most L (t / 2)"),
    "our_closedFormFactor": ("closed_form_factor", "(1 + beta) / 2", "(1 + beta) / 3"),
    "our_convexAttained": ("huber_attains", "(2 * 1 *", "(3 * 1 *"),
    "our_convexSharp": ("convex_sharp", "(2 * gamma *", "(3 * gamma *"),
    "our_duality": ("weak_duality", "inner L Y <=", "2 * inner L Y <="),
    "our_forcedOrder": ("forced_order_cost", r"= \sum_(i < n) p i * d i", r"= 2 * \sum_(i < n) p i * d i"),
    "our_freshDraws": ("one_draw_for_all_steps", "(1 - 2^-1 * 1) ^+ 2", "(1 - 2^-1 * 1)"),
    "our_functionValues": ("polyak_lojasiewicz", "(1 - gamma * mu)", "(1 - 2 * gamma * mu)"),
    "our_genericConvex": ("generic_convex", "(2 * gamma *", "(16 * gamma *"),
    "our_genericNonconvex": ("generic_steps", "4 * delta0", "3 * delta0"),
    "our_indefinite": ("two_bounds_needs_psd", "~ top_at_most M (1 + 1)", "~ top_at_most M (1 + 2)"),
    "our_lastIterate": ("last_iterate", "3 * T%:R + 1", "4 * T%:R + 3"),
    "our_lastIterateOne": ("last_iterate_one", "(1 + 2 * h)", "(1 + 3 * h)"),
    "our_logConvex": ("cost_log_convex", "/ 2.", "/ 3."),
    "our_noisy": ("noisy_strongly_convex", "+ gamma * s / (mu", "+ gamma * s / (2 * mu"),
    "our_nonconvexOneStep": ("one_step_equal", "t / 2", "t / 3"),
    "our_nonconvexRandomIterate": ("random_iterate", "<= 2 *", "<="),
    "our_overhead": ("overhead_duality", "<= c0 * m", "<= c0 * m / 2"),
    "our_portableCertificate": ("dominant_psd", "-> psd A", "-> psd (fun i j => - A i j)"),
    "our_proximal": ("proximal_rate", "(1 - gamma * mu)", "(1 - 2 * gamma * mu)"),
    "our_samplingIndependence": ("cost_of_marginals", r"= \sum_k marginal", r"= 2 * \sum_k marginal"),
    "our_sandwich": ("sandwich_above", "#|B|%:R *", "#|B|%:R / 2 *"),
    "our_sdp": ("sdp_infimum", "+ eps", "- eps"),
    "our_secondMomentConvex": ("ordered_convex", "(a * t + (1 - a) * u)", "((a * t + (1 - a) * u) / 2)"),
    "our_stronglyConvexConjecture": ("conjecture_refuted", "+ (9^-1 * 1) ^+ 2 /", "+ 2 * (9^-1 * 1) ^+ 2 /"),
    "our_stronglyConvexSharp": ("sharp_step", "1 - 2 * s", "1 - 3 * s"),
    "our_stronglyConvexSimple": ("simple_rate", "1 - 2 * s", "1 - 3 * s"),
    "our_tightness": ("aligned_LP", r"-> \sum_k a k / p k <= t", r"-> 2 * (\sum_k a k / p k) <= t"),
    "our_twoBounds": ("blockwise", r"<= (\sum_k l k) *", r"<= (\sum_k l k) / 2 *"),
    "our_whenRPTHelps": ("rpt_does_not_help", "-> t <=", "-> 2 * t <="),
    "prop_reachable_upper_bound": ("reachable_top", "m1 + m2 - eps", "m1 + m2"),
    "text_ABCtwoWays": ("ABC_second", "ABC fs 0 r", "ABC fs 0 (r / 2)"),
    "text_SkGD": ("sketch_unbiased", "= v i", "= 2 * v i"),
    "text_corollary": ("corollary_gd", "<= u", "<= u / 2"),
    "text_expectedCost": ("abel", r"= \sum_(i < m.+1) p i * c i", r"= 2 * \sum_(i < m.+1) p i * c i"),
    "text_gradientDescent": ("gd_step", "- gamma", "- 2 * gamma"),
    "text_matrixSmooth": ("mu_below_L", "mu * normsq", "2 * mu * normsq"),
    "text_nonconvex": ("not_convex", "/ 2 <", "<"),
    "text_productBound": ("product_bound_LP", r"(\sum_k l k / p k)", r"((\sum_k l k / p k) / 2)"),
    "text_replaceLPbyLM": ("least_gradient", "<= 2 *", "<="),
    "text_sigma": ("sigma_readings", " 20", " 19"),
    "thm_rcdConvex": ("rcd_convex", "/ (gamma *", "/ (8 * gamma *"),
    "thm_rcdNonconvex": ("rcd_nonconvex", "<= 2 *", "<="),
    "thm_rcdStronglyConvex": ("strongly_convex_rate", "(1 - gamma * mu)", "(1 - 2 * gamma * mu)"),
}


def twin(file: str, source: str) -> tuple[str, int]:
    """The source with the statement changed, and the line where that statement ends."""
    theorem, old, new = TWINS[file]
    begin = next(source.index(f"{word} {theorem} ") for word in ("Theorem", "Lemma") if f"{word} {theorem} " in source)
    end = source.index("Proof.", begin)
    statement = source[begin:end]
    assert statement.count(old) == 1, f"{file}: {old} is not once in {statement}"
    return source[:begin] + statement.replace(old, new) + source[end:], source[:end].count("\n") + 1
