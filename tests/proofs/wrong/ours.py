"""Wrong twins of the checks in proofs_check/ours, in the order of the ledger."""

from fractions import Fraction
from functools import partial

from proofs_check.checks.one_step import distances, distances_on_paths, on_random_forms
from proofs_check.checks.optima import never_contradicted
from proofs_check.checks.paths import huber, on_paths, saturating
from proofs_check.checks.quadratics import on_quadratics
from proofs_check.checks.randomised import on_instances, on_random_matrices
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.checks.witness import decided, refuted_by
from proofs_check.engine.entry import Evidence
from proofs_check.ours import (
    closed_form_factor,
    convex_sharp,
    duality,
    forced_order,
    function_values,
    generalized_smoothness,
    generic_convex,
    generic_nonconvex,
    key_quantity,
    last_iterate,
    log_convex,
    noisy,
    nonconvex,
    overhead,
    portable_certificate,
    proximal,
    sampling_independence,
    sandwich,
    sdp,
    second_moment_convex,
    smoothness_below,
    strongly_convex,
    strongly_convex_sharp,
    strongly_convex_simple,
    strongly_convex_worst,
    tightness,
    two_bounds,
    when_rpt_helps,
)
from proofs_check.ours.sandwich import constant_q, eigenvalue_constraint
from proofs_check.paper import text_replaceLPbyLM, thm_rcdConvex
from proofs_check.paper.lem_twoBounds import upper_sides
from proofs_check.paper.text_oldConvexRate import top_and_weighted


def much_less(T: int, gamma: Fraction, _: Fraction) -> Fraction:
    return 1 / ((12 * T + 4) * gamma)


shorter = partial(last_iterate.longer, constant=Fraction(1, 100))


def less(T: int, gamma: Fraction, L_P: Fraction) -> Fraction:
    return last_iterate.like_descent(T, gamma, L_P) / 4


P = (strongly_convex_sharp.ONE, strongly_convex_sharp.THIRD)


LESS = Fraction(49, 100)


HALF = Fraction(1, 2)


L = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


QUARTER, TENTH = Fraction(1, 4), Fraction(1, 10)


WRONG = {
    "our:keyQuantity": (
        on_instances(partial(key_quantity.every_sampling, factor=Fraction(9, 10))),
        identity(partial(key_quantity.entries, power=2), "pair probabilities squared"),
        identity(partial(key_quantity.gram_of_indicators, power=2), "indicators over p, whose diagonal is not one"),
        inequality(partial(key_quantity.mean_of_squares, sign=-1), "the square of the difference"),
        identity(partial(key_quantity.identity_survives, diagonal=2), "K with twos on the diagonal moves t I"),
    ),
    "our:generalizedSmoothness": (
        on_instances(partial(generalized_smoothness.any_weight, factor=Fraction(9, 10))),
        identity(partial(generalized_smoothness.moved_roots, power=2), "a root too many"),
        inequality(partial(generalized_smoothness.descent, half=4), "a quarter for the half"),
        identity(partial(generalized_smoothness.chosen_alpha, factor=1), "twice the decrease"),
    ),
    "our:stronglyConvex": (
        on_quadratics(partial(strongly_convex.distances, factor=2)),
        on_paths(partial(strongly_convex.distances_on_paths, factor=2), strongly_convex.huber, mu=Fraction(1, 2)),
        identity(partial(strongly_convex.one_step, power=2), "divided by p twice"),
        inequality(partial(strongly_convex.second_moment_used, factor=1), "half of the second moment"),
        inequality(partial(strongly_convex.strong_convexity_used, factor=2), "mu counted twice"),
        inequality(partial(strongly_convex.last_term_dropped, sign=-1), "a stepsize above 1/L_P"),
        inequality(partial(strongly_convex.mu_is_at_most_L_P, sign=-1), "mu above L_P"),
        inequality(partial(strongly_convex.recursion, shift=1), "a power too many"),
    ),
    "our:freshDraws": (decided(lambda: strongly_convex.same_sketch_breaks_the_rate(steps=1), "a single step"),),
    "our:stronglyConvexConjecture": (
        refuted_by(
            lambda: strongly_convex_sharp.conjecture_fails(((5, 2), (2, 2)), P, 1, 9, (1, -2)),
            "here the factor is enough",
        ),
    ),
    "our:stronglyConvexSharp": (
        on_random_forms(scale=Fraction(99, 100)),
        on_quadratics(partial(distances, scale=Fraction(99, 100)), 30),
        on_paths(partial(distances_on_paths, scale=Fraction(99, 100)), huber, 20, mu=Fraction(1, 2)),
        identity(partial(strongly_convex_sharp.expansion, power=2), "divided by p twice"),
        inequality(partial(strongly_convex_sharp.shifted_smoothness, factor_of_mu=2), "mu taken away twice"),
        identity(partial(strongly_convex_sharp.scaled_cocoercivity, power=1), "no square"),
        inequality(partial(strongly_convex_sharp.square_completed, weight=2), "twice the share"),
        identity(partial(strongly_convex_sharp.no_room_left, weight=2), "twice the share"),
        inequality(partial(strongly_convex_sharp.largest_share, sign=-1), "the least share does not bound"),
        inequality(partial(strongly_convex_sharp.not_negative, sign=-1), "a negative factor"),
        inequality(partial(strongly_convex.recursion, shift=1), "a power too many"),
        identity(partial(strongly_convex_sharp.level_set, leading=1), "another leading coefficient"),
        inequality(partial(strongly_convex_sharp.shares_at_two, sign=-1), "shares above s"),
        identity(partial(strongly_convex_sharp.between_the_ends, power=1), "weights that do not fit"),
    ),
    "our:stronglyConvexSimple": (
        on_quadratics(partial(strongly_convex_simple.distances, factor=Fraction(21, 10))),
        identity(partial(strongly_convex_simple.share_at_two, multiplier=3), "another multiplier"),
        inequality(partial(strongly_convex_simple.largest_for_the_least, sign=-1), "the largest probability"),
        inequality(partial(strongly_convex_simple.below_the_paper, sign=-1), "above the paper's factor"),
    ),
    "our:stronglyConvexWhen": (
        on_instances(partial(strongly_convex_simple.either_way, wider=1)),
        inequality(partial(strongly_convex_simple.never_below, sign=-1), "a share below the least"),
        inequality(partial(strongly_convex_simple.admissible_multiplier, factor=1), "half of the multiplier"),
        inequality(partial(strongly_convex_simple.close_probabilities, sign=-1), "a larger share"),
        identity(partial(strongly_convex_simple.far_probabilities, sign=-1), "a smaller share"),
        identity(partial(strongly_convex_simple.edge, factor=2), "twice s"),
    ),
    "our:stronglyConvexWorst": (
        strongly_convex_worst.attained_exactly((1, 1, 2, 2, 2)),
        identity(partial(strongly_convex_worst.slope, factor=2), "twice the slope"),
        identity(partial(strongly_convex_worst.opposite_slopes, sign=-1), "slopes of the same sign"),
        identity(partial(strongly_convex_worst.cocoercivity_is_the_slope, power=1), "no square"),
        identity(partial(strongly_convex_worst.value_attained, factor=2), "the multiplier twice"),
        identity(partial(strongly_convex_worst.matrix_maps, factor=2), "u twice"),
        inequality(partial(strongly_convex_worst.matrix_below, sign=-1), "the wrong sign in the square"),
    ),
    "our:convexSharp": (
        on_quadratics(partial(thm_rcdConvex.gaps, factor=LESS, largest=1)),
        on_paths(partial(thm_rcdConvex.gaps_on_paths, factor=LESS, largest=1), huber),
        identity(partial(strongly_convex.one_step, power=2), "divided by p twice"),
        inequality(partial(convex_sharp.weighted_smoothness, sign=-1), "L above L_P P"),
        inequality(partial(convex_sharp.cocoercivity_used, factor=2), "twice the norm"),
        inequality(partial(convex_sharp.norm_dropped, sign=-1), "a stepsize above 1/L_P"),
        identity(partial(thm_rcdConvex.telescoping, shift=1), "the last distance twice"),
        inequality(partial(thm_rcdConvex.last_distance_dropped, sign=-1), "a square below zero"),
        inequality(partial(thm_rcdConvex.mean_gap, factor=2), "twice the mean"),
        identity(partial(convex_sharp.four_times_below, factor=2), "half of the gain"),
    ),
    "our:convexAttained": (
        convex_sharp.attained_by_huber(start=2),
        identity(partial(convex_sharp.huber_example, start=2), "a start too far"),
    ),
    "our:lastIterate": (
        on_quadratics(partial(last_iterate.gaps, rule=much_less)),
        on_paths(partial(last_iterate.gaps_on_paths, rule=much_less), huber),
        inequality(partial(last_iterate.facts, sign=-1), "values that rise"),
        inequality(partial(last_iterate.one_step, power=1), "gamma once"),
        inequality(partial(last_iterate.bracket_is_a_square, sign=-1), "the other sign"),
        inequality(partial(last_iterate.weights_do, factor=1), "half of the product"),
        identity(partial(last_iterate.ends, factor=4), "4T + 1"),
        inequality(partial(last_iterate.conclusion, factor=4), "4T + 1"),
    ),
    "our:lastIterateOne": (
        on_quadratics(partial(last_iterate.gaps, rule=less, most=1)),
        on_paths(partial(last_iterate.gaps_on_paths, rule=less, most=1), huber),
        decided(lambda: last_iterate.huber_attains(Fraction(2)), "a start nearer to the minimiser"),
        identity(partial(last_iterate.three_inequalities, sign=-1), "the other sign"),
        identity(partial(last_iterate.mean_over_the_draw, factor=1), "half a step"),
        identity(partial(last_iterate.discriminant, sign=-1), "the other sign"),
        inequality(partial(last_iterate.not_negative, sign=-1), "the other sign"),
    ),
    "our:lastIterateDescent": (
        refuted_by(lambda: last_iterate.descent_fails(x0=(Fraction(1), Fraction(0))), "from here the bound holds"),
    ),
    "our:lastIterateShort": (
        on_quadratics(partial(last_iterate.gaps, rule=less, shares=(Fraction(1, 2),))),
        on_paths(partial(last_iterate.gaps_on_paths, rule=less, share=Fraction(1, 2)), huber),
    ),
    "our:lastIterateLong": (
        on_quadratics(partial(last_iterate.gaps, rule=shorter, most=1, shares=(last_iterate.LONG,))),
        on_paths(partial(last_iterate.gaps_on_paths, rule=shorter, most=1, share=last_iterate.LONG), huber),
    ),
    "our:nonconvexOneStep": (
        on_instances(partial(nonconvex.exact_decrease, halves=2)),
        identity(partial(nonconvex.quadratic_is_exact, factor=2), "twice the curvature"),
        identity(partial(nonconvex.eigenvector_decrease, factor=1), "twice the second-order term"),
        identity(partial(nonconvex.first_gradient, factor=1), "half of the bound"),
    ),
    "our:nonconvexApproached": (
        on_instances(partial(nonconvex.run_down, gap=Fraction(1, 4))),
        inequality(partial(nonconvex.bends_down, sign=-1), "bends up"),
        identity(partial(nonconvex.decrease_of_a_piece, factor=2), "twice the excess"),
        inequality(partial(nonconvex.approaches_one, sign=-1), "beyond one"),
    ),
    "our:nonconvexRandomIterate": (
        on_quadratics(partial(text_replaceLPbyLM.mean_gradients, factor=Fraction(9, 10))),
        inequality(partial(text_replaceLPbyLM.summed, shift=1), "a slack taken away twice"),
        identity(partial(nonconvex.mean_over_numbers, power=2), "divided twice"),
        inequality(partial(text_replaceLPbyLM.solved, factor=1), "half of the bound"),
    ),
    "our:LMconvex": (decided(lambda: nonconvex.distance_grows((40, 10), (1, 16), 2200), "two coordinates"),),
    "our:functionValues": (
        on_quadratics(partial(function_values.gaps, factor=2)),
        inequality(partial(function_values.half_of_the_gradient, half=1), "all of the gradient"),
        identity(partial(function_values.gradient_dominates, factor=1), "twice the gradient"),
        inequality(partial(function_values.contraction, factor=2), "twice as fast"),
        inequality(partial(function_values.factor_not_negative, sign=-1), "probabilities above 1"),
        identity(partial(function_values.powers, shift=2), "two steps in one"),
        identity(partial(function_values.one_coordinate_at_a_time, power=2), "p_i that do not add up to one"),
    ),
    "our:twoBounds": (
        on_random_matrices(partial(upper_sides, factor=0.9)),
        identity(partial(two_bounds.gram_form, power=2), "x twice on one side"),
        inequality(partial(two_bounds.inner_products, sign=1), "the square of the sum"),
        inequality(partial(two_bounds.block_form, sign=-1), "the smallest eigenvalue of the block"),
        inequality(partial(two_bounds.weighted_sum, sign=1), "the square of the sum"),
    ),
    "our:indefinite": (
        decided(lambda: two_bounds.breaks_the_upper_bound(((2, 1), (1, 2)), (1, 1)), "a semidefinite matrix"),
        decided(lambda: two_bounds.breaks_the_upper_bound(((0, 1), (1, 0)), (1, -1)), "the other eigenvector"),
    ),
    "our:tightness": (
        tightness.construction(slack=Fraction(1, 2)),
        identity(partial(tightness.diagonal_blocks, factor=2), "subtracted twice"),
        inequality(partial(tightness.remainder, sign=-1), "a negative eigenvalue"),
        identity(partial(tightness.kernel_of_the_remainder, power=2), "the fourth power"),
        identity(partial(tightness.value_at_the_vector, power=1), "a square missing"),
        identity(partial(tightness.weighted_value, power=2), "divided by p twice"),
    ),
    "our:sdp": (
        never_contradicted(partial(sdp.both_programs, factor=1.1)),
        identity(partial(sdp.scale_invariance, power=2), "L_P falls with the square of the scale"),
        identity(partial(sdp.congruent, power=2), "P squared"),
        identity(partial(sdp.from_p_to_q, power=2), "L_P squared"),
        identity(partial(sdp.from_q_to_p, power=2), "divided by the maximum twice"),
        inequality(partial(sdp.above_the_blocks, sign=-1), "q below the block constants"),
        inequality(partial(sdp.bounded_sublevels, sign=-1), "negative remaining terms"),
        identity(partial(sdp.affine, power=2), "a mixture with a squared weight"),
    ),
    "our:duality": (
        duality.certificates(traces=Fraction(101, 100)),
        identity(partial(duality.slack_times_dual, power=2), "v three times"),
        inequality(partial(duality.logarithm, sign=-1), "the logarithm above its tangent"),
        inequality(partial(duality.coercive, sign=-1), "the barrier wins"),
        identity(partial(duality.derivative_of_the_barrier, power=2), "the inverse squared"),
        identity(partial(duality.gap_of_the_centre, power=2), "a gap of mu squared"),
        inequality(partial(duality.bounded_entries, sign=1), "the square of the sum"),
    ),
    "our:sandwich": (
        never_contradicted(partial(sandwich.links, factor=1.01)),
        inequality(partial(sandwich.above_the_blocks, sign=-1), "q below the block constants"),
        identity(partial(sandwich.value_of_the_closed_form, power=2), "p twice"),
        inequality(partial(sandwich.over_blocks, sign=1), "the square of the sum"),
        inequality(partial(sandwich.eigenvalue_constraint, sign=-1), "the smallest eigenvalue"),
        identity(partial(sandwich.constant_q, power=2), "the eigenvalue squared"),
        inequality(partial(sandwich.block_constraint, sign=-1), "the smallest eigenvalue of the block"),
        identity(partial(sandwich.equal_products, power=2), "the bound B^2 times the optimum"),
    ),
    "our:closedFormFactor": (
        never_contradicted(partial(closed_form_factor.sides, factor=0.95)),
        identity(partial(closed_form_factor.scaled_blocks, power=2), "D twice"),
        inequality(partial(closed_form_factor.top_component, sign=-1), "negative eigenvalues"),
        identity(partial(closed_form_factor.dual_point, power=2), "the share squared"),
        inequality(partial(closed_form_factor.weighted_pairs, sign=1), "the square of the sum"),
        inequality(partial(closed_form_factor.shares_add_up, sign=-1), "the smallest s in place of the largest"),
        inequality(partial(closed_form_factor.last_square, sign=1), "the square of the sum"),
        identity(partial(closed_form_factor.attained, first=2), "another s"),
    ),
    "our:whenRPTHelps": (
        on_instances(partial(when_rpt_helps.rank_one, more=1), 20, Evidence.RIGOROUS),
        inequality(partial(eigenvalue_constraint, sign=-1), "the smallest eigenvalue"),
        identity(partial(constant_q, power=2), "the eigenvalue squared"),
        inequality(partial(when_rpt_helps.gap_in_the_eigenbasis, sign=-1), "the smallest eigenvalue"),
        identity(partial(when_rpt_helps.total_trace, power=2), "traces squared"),
        inequality(partial(when_rpt_helps.zero_diagonal_zero_row, sign=1), "the square of the sum"),
        decided(
            lambda: when_rpt_helps.gradient_descent_is_best(((2, 1), (1, 2)), 3, ((HALF, 0), (0, HALF)), (HALF, HALF)),
            "a Y outside the eigenspace",
        ),
        decided(
            lambda: when_rpt_helps.no_such_point(((2, 1), (1, 2)), 3, (1, 1), (HALF, HALF)),
            "the costs of the instance before",
        ),
    ),
    "our:logConvex": (
        on_random_matrices(partial(log_convex.midpoint_sides, factor=0.99)),
        identity(partial(log_convex.transposed, power=2), "P twice"),
        identity(partial(log_convex.gram_form, power=2), "x twice on one side"),
        inequality(partial(log_convex.nonnegative_weights, sign=-1), "negative weights"),
        inequality(partial(log_convex.convex_terms, sign=-1), "concave"),
        inequality(partial(log_convex.two_blocks, sign=-1), "concave"),
    ),
    "our:overhead": (
        overhead.certificates(lowered=Fraction(99, 100)),
        identity(partial(overhead.equivalent, power=2), "L_P squared"),
        identity(partial(overhead.traces_with_overhead, power=2), "the share squared"),
        inequality(partial(overhead.weak_duality, sign=-1), "the minimum in place of the maximum"),
        inequality(partial(overhead.coercive, sign=-1), "the barrier wins"),
        identity(partial(overhead.central_point, power=2), "the share squared"),
    ),
    "our:forcedOrder": (
        never_contradicted(partial(forced_order.both_programs, factor=1.1), 30),
        identity(partial(forced_order.linear_cost, last=1), "a last probability that is not zero"),
        inequality(partial(forced_order.monotone_both_ways, sign=-1), "ascending"),
        inequality(partial(forced_order.first_bounds_all, sign=-1), "falling costs"),
    ),
    "our:pooledClosedForm": (
        forced_order.pooling(strict=True),
        inequality(partial(forced_order.prefixes, sign=-1), "a higher ratio merged with a later, lower one"),
        identity(partial(forced_order.moved_amounts, shift=2), "moved twice"),
        inequality(partial(forced_order.moved_forward, sign=-1), "moved to later ranks"),
        identity(partial(forced_order.pooled_roots, power=2), "the ratio without its root"),
        identity(partial(forced_order.value_at_the_pooled, power=2), "p twice"),
    ),
    "our:samplingIndependence": (
        on_quadratics(partial(sampling_independence.same_cost, factor=2)),
        identity(partial(sampling_independence.cost_of_a_block, power=2), "the probability squared"),
        identity(partial(sampling_independence.weighted_entry, pairs=True), "E[CLC], which depends on pairs"),
        decided(
            lambda: sampling_independence.moment_depends(
                sampling_independence.second_moment(L, sampling_independence._NESTED),
                sampling_independence.second_moment(L, sampling_independence._SEPARATE),
                (0, 1, 1),
                2,
            ),
            "a diagonal L, for which the joint law does not matter",
        ),
    ),
    "our:secondMomentConvex": (
        on_random_matrices(partial(second_moment_convex.midpoint_sides, factor=0.99)),
        identity(partial(second_moment_convex.linear_entries, power=2), "r squared"),
        identity(partial(second_moment_convex.mixture, power=2), "a squared weight"),
        inequality(partial(second_moment_convex.cost_is_convex, sign=-1), "concave"),
        identity(partial(second_moment_convex.scaling, power=2), "the scale squared"),
        inequality(partial(second_moment_convex.never_negative, sign=-1), "never positive"),
        inequality(partial(second_moment_convex.smaller_cost, semidefinite=False), "an L_M of any sign"),
        inequality(partial(second_moment_convex.bounded, sign=-1), "L_M below a block"),
        decided(
            lambda: second_moment_convex.orders_do_not_mix(((2, 2), (2, 6)), 7, ((4, 4), (4, 4)), (1, -1), 8),
            "the other eigenvector",
        ),
    ),
    "our:genericNonconvex": (
        on_quadratics(partial(generic_nonconvex.least_gradient, factor=Fraction(1, 3)), 30),
        inequality(partial(generic_nonconvex.one_step, power=1), "gamma once"),
        inequality(partial(generic_nonconvex.weighted_sum, shift=1), "a weight too many"),
        identity(partial(generic_nonconvex.weights_add_up, sign=-1), "the other sign"),
        inequality(partial(generic_nonconvex.least_term, factor=2), "twice the bound"),
        inequality(partial(generic_nonconvex.weights_fall, sign=-1), "weights that grow"),
        identity(partial(generic_nonconvex.chosen_stepsize, power=2), "the square of T"),
        inequality(partial(generic_nonconvex.bernoulli, more=1), "one more"),
        inequality(partial(generic_nonconvex.enough_steps, constant=3), "3 in place of 4"),
    ),
    "our:genericConvex": (
        on_quadratics(partial(thm_rcdConvex.gaps, factor=TENTH, largest=QUARTER)),
        on_paths(partial(thm_rcdConvex.gaps_on_paths, factor=TENTH, largest=QUARTER), huber),
        inequality(partial(generic_convex.one_step, factor=4), "twice the decrease"),
        inequality(partial(generic_convex.quarter_used, quarters=4), "nothing lost"),
        identity(partial(thm_rcdConvex.telescoping, shift=1), "the last distance twice"),
        inequality(partial(thm_rcdConvex.last_distance_dropped, sign=-1), "a square below zero"),
        inequality(partial(thm_rcdConvex.mean_gap, factor=2), "twice the mean"),
    ),
    "our:LPgeqL": (
        on_random_matrices(partial(top_and_weighted, factor=0.9)),
        inequality(partial(smoothness_below.probabilities_are_at_most_one, sign=-1), "probabilities above 1"),
    ),
    "our:polyakLojasiewicz": (
        on_paths(partial(function_values.gaps_on_paths, mu=2), function_values.dented),
        inequality(partial(function_values.half_of_the_gradient, half=1), "all of the gradient"),
        inequality(partial(function_values.contraction, factor=2), "twice the rate"),
        inequality(partial(function_values.factor_by_values, sign=-1), "the other sign"),
        identity(partial(function_values.powers, shift=2), "a power too many"),
    ),
    "our:proximal": (
        on_quadratics(partial(proximal.distances, factor=2), 30),
        inequality(partial(proximal.does_not_expand, sign=-1), "the other sign"),
        identity(partial(proximal.mean_over_the_draw, power=1), "gamma once"),
        inequality(partial(proximal.two_bounds_used, factor=2), "twice the rate"),
        identity(partial(function_values.powers, shift=2), "a power too many"),
    ),
    "our:noisyConvex": (
        on_paths(partial(noisy.gaps, factor=Fraction(1, 2)), huber),
        identity(partial(noisy.one_step, power=1), "gamma once"),
        inequality(partial(noisy.short_and_long, sign=-1), "the other sign"),
        identity(partial(thm_rcdConvex.telescoping, shift=1), "the last distance twice"),
        inequality(partial(noisy.mean_of_values, factor=3), "a third"),
        inequality(partial(thm_rcdConvex.mean_gap, factor=2), "twice the mean"),
    ),
    "our:noisyStronglyConvex": (
        on_paths(partial(noisy.distances, factor=Fraction(1, 2)), huber, mu=1),
        identity(partial(noisy.one_step, power=1), "gamma once"),
        inequality(partial(noisy.contraction, factor=2), "twice the rate"),
        inequality(partial(noisy.factor_not_negative, sign=-1), "the other sign"),
        identity(partial(noisy.powers, shift=2), "a power too many"),
    ),
    "our:noisyNonconvex": (
        on_paths(partial(noisy.gradients, factor=Fraction(1, 2)), saturating),
        identity(partial(noisy.decrease, factor=2), "twice the second moment"),
        inequality(partial(noisy.mean_of_gradients, factor=1), "half of it"),
    ),
    "our:portableCertificate": (
        on_instances(partial(portable_certificate.certified, room=1)),
        identity(partial(portable_certificate.gram, power=1), "no square"),
        inequality(partial(portable_certificate.dominated, sign=-1), "the other sign"),
    ),
}
