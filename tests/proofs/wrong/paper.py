"""Wrong twins of the checks in proofs_check/paper, in the order of the ledger."""

from fractions import Fraction
from functools import partial

from proofs_check.checks.optima import never_contradicted
from proofs_check.checks.paths import huber, on_paths, saturating
from proofs_check.checks.quadratics import on_quadratics
from proofs_check.checks.randomised import on_instances, on_random_matrices
from proofs_check.checks.symbolic import identity, inequality
from proofs_check.checks.witness import decided, refuted_by
from proofs_check.ours import key_quantity
from proofs_check.ours.generic_nonconvex import least_gradient
from proofs_check.ours.tightness import construction
from proofs_check.paper import (
    alg_MAIN_COMPACT,
    alg_rpt,
    def_PTsketch,
    eq_complexity,
    lem_generalizedSmoothness,
    lem_key_quantity,
    lem_secondMoment,
    lem_twoBounds,
    lem_upperBound,
    prop_reachable_upper_bound,
    tables,
    text_ABCways,
    text_corollary,
    text_expectedCost,
    text_genericRates,
    text_matrixSmooth,
    text_networkProbabilities,
    text_nonconvex,
    text_oldConvexRate,
    text_passing,
    text_progfed,
    text_recoversRCD,
    text_replaceLPbyLM,
    text_sigma,
    text_SkGD,
    text_totalCost,
    thm_non_convex,
    thm_oldConvex,
    thm_rcdConvex,
    thm_rcdNonconvex,
    thm_rcdStronglyConvex,
)
from proofs_check.paper.places import CLAIMS
from rpttheory.experiments.quadratics import PAPER

from . import Slip, twins

ONE, HALF, THIRD, FIFTH, TENTH = (Fraction(1, k) for k in (1, 2, 3, 5, 10))
LESS = Fraction(9, 10)
MORE = Fraction(101, 100)
P = (ONE, HALF, FIFTH)
COSTS = (Fraction(1, 4), Fraction(3, 4))
UNEQUAL = (Fraction(4, 5), FIFTH)

TWINS = {
    "line:PTb": (Slip("0*g_i", "1*g_i", "all blocks move"),),
    "alg:MAIN-COMPACT": (
        refuted_by(lambda: alg_MAIN_COMPACT.stage_without_entry(2, 2), "n = B"),
        Slip("= B", "= B - 1", "one entry too few"),
    ),
    "alg:PT": (),
    "text:matrixSmooth": (
        Slip("= H_ij", "= 2*H_ij", "the half forgotten"),
        Slip("4*y", "-4*y", "the tangent with the wrong slope"),
        on_instances(partial(text_matrixSmooth.at_points, halves=2)),
    ),
    "as:matrixSmoothness": (),
    "as:stronglyConvex": (Slip("+ r", "- r", "f above both quadratics"),),
    "as:convex": (),
    "as:nonconvex": (),
    "text:SkGD": (
        on_quadratics(partial(text_SkGD.unbiased, factor=2)),
        Slip("1/p_j", "2/p_j", "twice the gradient"),
    ),
    "text:LP": (),
    "lem:key_quantity": (
        on_random_matrices(partial(lem_key_quantity.left_sides, factor=0.99)),
        on_random_matrices(partial(lem_key_quantity.right_sides, factor=0.99)),
        on_instances(partial(key_quantity.every_sampling, factor=Fraction(9, 10))),
        on_instances(partial(lem_key_quantity.substituted, roots=2)),
        Slip("= p_ij", "= p_ij^2", "pair probabilities squared"),
        Slip("delta_i*", "-delta_i*", "the smallest eigenvalue does not bound"),
        refuted_by(
            lambda: lem_key_quantity.printed_sum_fails((Fraction(1), HALF), (0, 0)),
            "x = 0 distinguishes nothing",
        ),
        Slip("p_i;", "p_i^2;", "divided by p twice"),
        Slip("/p_i;", ";", "not divided by p"),
        Slip("= p_ij*L_ij", "= p_ij*L_ij^2", "L twice on one side"),
        Slip("(p_j)", "(p_j)^2", "a root too many"),
        Slip("delta_i*", "-delta_i*", "the smallest eigenvalue does not bound"),
        Slip("s_i*", "-s_i*", "the smallest 1 / p does not bound"),
    ),
    "lem:generalizedSmoothness": (
        on_random_matrices(partial(lem_generalizedSmoothness.quadratic_sides, factor=0.99)),
        Slip("by s", "by -s", "a maximum"),
        Slip("-alpha*w_i", "alpha*w_i", "a step up the gradient"),
        Slip("L_ij*w_j", "L_ij", "W on one side only"),
        Slip("*w_i", "*w_i^2", "W squared"),
        Slip("A/2", "A/4", "a quarter for the half"),
        Slip("(2*A)", "A", "twice the maximum"),
        Slip("<= 2*A", "<= A", "the factor 2 forgotten"),
    ),
    "lem:secondMoment": (
        refuted_by(
            lambda: lem_secondMoment.norms_differ(ONE, ONE), "a norm that is its own square"
        ),
        refuted_by(
            lambda: lem_secondMoment.bound_fails(ONE, ONE, Fraction(2)),
            "far from the minimum the gap is large",
        ),
        lem_secondMoment.enumerated_second_moment(power=1),
        on_random_matrices(partial(lem_generalizedSmoothness.quadratic_sides, factor=0.99)),
        Slip("c_i^2", "c_i", "C for C squared"),
        Slip("q_o*c_oi", "q_o^2*c_oi", "probabilities squared"),
        Slip("= 1/p_i", "= 1/p_i^2", "divided by p twice"),
        refuted_by(lambda: lem_secondMoment.norms_differ(ONE, Fraction(0)), "gradient zero"),
        Slip("(Q)^2", "(Q)", "the line as printed"),
        Slip("/p_j", "/p_j^2", "W is not the inverse of P"),
        Slip("<= 2*A", "<= A", "half of the bound"),
    ),
    "thm:rcdStronglyConvex": (
        refuted_by(
            lambda: thm_rcdStronglyConvex.letters_differ(1, 1), "with t = k the bound holds"
        ),
        on_quadratics(partial(thm_rcdStronglyConvex.distances, factor=MORE)),
        on_paths(partial(thm_rcdStronglyConvex.distances, factor=MORE), huber, mu=Fraction(1, 2)),
        thm_rcdStronglyConvex.attained(scale=Fraction(1, 2)),
    ),
    "thm:rcdConvex": (
        on_quadratics(partial(thm_rcdConvex.gaps, factor=FIFTH)),
        on_paths(partial(thm_rcdConvex.gaps, factor=FIFTH), huber),
        Slip("2/p_i", "2/p_i^2", "divided by p twice"),
        Slip("2*gamma^", "gamma^", "half of the second moment"),
        Slip("D + gamma*D", "D", "the second moment forgotten"),
        Slip("- gamma", "- 2*gamma", "twice the gap"),
        Slip("by slack", "by -slack", "the wrong direction"),
        refuted_by(
            lambda: thm_rcdConvex.jensen_line_fails(Fraction(1, 2), ONE),
            "gamma = 1 makes the slip harmless",
        ),
        Slip("gamma*total", "2*gamma*total", "twice the mean"),
        refuted_by(
            lambda: thm_rcdConvex.telescoped_line_fails(Fraction(1, 2), ONE),
            "gamma = 1 makes the slip harmless",
        ),
        Slip("R_0 - R_T2", "R_0 - 2*R_T2", "the last distance twice"),
        Slip("c*R_last", "-c*R_last", "a square below zero"),
        Slip(":= 2*L_P", ":= L_P", "half as many steps"),
    ),
    "thm:rcdNonconvex": (
        on_quadratics(partial(text_replaceLPbyLM.mean_gradients, factor=LESS)),
        on_paths(partial(thm_rcdNonconvex.least_gradients, factor=LESS), saturating),
        Slip("2, by", "4, by", "half of the curvature"),
        Slip("gamma^2", "gamma", "gamma once in the square"),
        Slip("g_i*", "-g_i*", "the sign of the form"),
        Slip("*g_i/p_i", "*g_i/p_i^2", "divided by p twice"),
        Slip("L_M + more", "L_M - more", "L_P below L_M"),
        Slip("L/2", "L", "twice the second-order term"),
        Slip("n*m", "2*n*m", "twice the least"),
        Slip("gamma/2 + gamma/2*rest", "gamma/2 - gamma/2*rest", "a stepsize above 1/L_P"),
        refuted_by(
            lambda: thm_rcdNonconvex.index_fails((1, 1)),
            "equal gradients do not tell the indices apart",
        ),
        Slip("L/2", "L", "twice the second-order term"),
        refuted_by(
            lambda: thm_rcdNonconvex.pathwise_fails(steps=0), "for T = 0 there is one path only"
        ),
        Slip("<= f_0 - f_T2", "<= f_0 - f_T2 - slack", "a slack taken away twice"),
        Slip("above/", "-above/", "values below the least"),
        Slip("2*delta", "delta", "half of the bound"),
        Slip(":= 2*L_P", ":= L_P", "half as many steps"),
    ),
    "text:replaceLPbyLM": (
        on_quadratics(partial(text_replaceLPbyLM.with_second_moment, factor=Fraction(9, 10))),
        Slip("*g_i/p_i", "*g_i/p_i^2", "divided by p twice"),
        Slip("L_M + more", "L_M - more", "L_P below L_M"),
        Slip("gamma/2 + gamma/2*rest", "gamma/2 - gamma/2*rest", "a stepsize above 1/L_M"),
        Slip("<= f_0 - f_T2", "<= f_0 - f_T2 - slack", "a slack taken away twice"),
        Slip("2*delta", "delta", "half of the bound"),
    ),
    "text:recoversRCD": (
        refuted_by(
            lambda: text_recoversRCD.known_rate_is_better(((2, 0), (0, 2)), Fraction(1)),
            "a diagonal L loses nothing",
        ),
        refuted_by(
            lambda: text_recoversRCD.uniform_steps_are_better((1, 1)),
            "equal constants: no better than 1 - 1/2",
        ),
        Slip("/S;", "/S^2;", "p_i that do not add up to one"),
        on_quadratics(partial(text_recoversRCD.gaps, factor=2)),
    ),
    "def:PTsketch": (
        Slip("0 = p_B", "1 = p_B", "p_{B+1} = 1"),
        Slip("p_j)^2", "p_j)", "the second moment without its square"),
        def_PTsketch.every_permutation(power=1),
    ),
    "alg:rpt": (
        refuted_by(
            lambda: alg_rpt.loop_breaks(1, first=0), "the loop that starts at 0 reads what it has"
        ),
        refuted_by(
            lambda: alg_rpt.step_is_lost(1, first=0),
            "the loop that starts at 0 puts out its last iterate",
        ),
        Slip("0 = 0; (t", "1 = 0; (t", "the loop as printed"),
    ),
    "text:RPTisSkGD": (
        alg_rpt.marginals("rank->block"),
        Slip("0 = p_B", "1 = p_B", "p_{B+1} = 1"),
        Slip("p_j)^2", "p_j)", "the second moment without its square"),
    ),
    "text:sigma": (
        refuted_by(
            lambda: text_sigma.readings_differ((9, 4, 1), P, (2, 1, 3), (18, 18)), "an involution"
        ),
        refuted_by(
            lambda: text_sigma.recipe_fails((4, 9, 1), (2, 1, 3), (2, 3, 1)), "an involution"
        ),
        refuted_by(
            lambda: text_sigma.printed_minimum_breaks_the_corollary(
                (3, 2, 1), (1, 2, 3), Fraction(121, 100)
            ),
            "an order that is the identity, for which the readings agree",
        ),
        identity(partial(text_sigma.reindexed, inverse=False), "sigma for its inverse"),
        on_instances(partial(text_sigma.every_permutation, reading="block->rank"), 200),
    ),
    "as:normalized": (Slip("(s*c_j)", "c_j", "only one of two costs scaled"),),
    "text:expectedCost": (
        text_expectedCost.enumerated("block->rank"),
        refuted_by(
            lambda: text_expectedCost.printed_cost_fails((1, 2), COSTS, 1), "sigma is the identity"
        ),
        identity(
            partial(text_expectedCost.blocks_of_the_first_ranks, shift=1),
            "the block of the next rank",
        ),
        identity(partial(text_expectedCost.sum_over_iterations, power=2), "T twice"),
        Slip("0*K_B", "1*K_B", "p_{B+1} = 1"),
    ),
    "text:totalCost": (
        refuted_by(
            lambda: text_totalCost.fewer_are_enough(Fraction(1), 2, Fraction(2)),
            "gradient descent needs them all",
        ),
        on_quadratics(partial(text_totalCost.gaps, factor=Fraction(1, 8))),
        on_quadratics(partial(text_totalCost.mean_gradients, factor=Fraction(1, 4))),
        Slip("L_P/", "2*L_P/", "twice as many iterations as it takes"),
        Slip("L_P*", "L_P^2*", "L_P squared"),
    ),
    "text:gradientDescent": (
        never_contradicted(partial(text_totalCost.optimum_below, factor=0.9)),
        Slip("1 - 1", "2 - 1", "p = 2"),
        Slip("1)*sqrt(", "2)*sqrt(", "p = 2"),
        Slip("by s", "by -s", "a maximum"),
    ),
    "lem:twoBounds": (
        on_random_matrices(partial(lem_twoBounds.lower_sides, factor=1.01)),
        on_random_matrices(partial(lem_twoBounds.upper_sides, factor=0.99)),
        Slip("lambda_j*0", "lambda_j*1", "not an eigenvector"),
        Slip("= y_i*", "= y_i^2*", "y twice on one side"),
        Slip("delta_i*", "-delta_i*", "the smallest eigenvalue does not bound"),
    ),
    "prop:reachable_upper_bound": (
        prop_reachable_upper_bound.construction(slack=Fraction(1, 2)),
        Slip(")*(a", "^2)*(a", "inverted twice"),
        Slip("mu*v_i*1", "2*mu*v_i*1", "subtracted twice"),
        Slip("a*1*0", "a*1*1", "columns that are not orthogonal"),
        Slip("U_jl*", "U_jl^2*", "U twice on one side"),
        Slip("2*a", "a", "the corner counted once"),
        Slip("s_i*0", "s_i*1", "a vector with more coordinates"),
        Slip("eps*", "-eps*", "eps with the wrong sign"),
        Slip("2*x", "x", "half the mixed term"),
        Slip("mu);", "mu)^2;", "the square of the value"),
    ),
    "text:blocksExtension": (construction(slack=Fraction(1, 2)),),
    "text:productBound": (
        on_random_matrices(partial(lem_upperBound.sides, factor=0.99)),
        Slip("/p_k", "/p_k^2", "divided by p twice"),
        Slip("w*K", "-w*K", "the inequality turned round"),
    ),
    "lem:upperBound": (
        lem_upperBound.on_squares(scale=MORE),
        Slip("- a_j", "+ a_j", "the square of the sum"),
        Slip("p_i*", "p_i^2*", "p does not cancel"),
        Slip("s/rho_1", "-s/rho_1", "ascending"),
        Slip("*sqrt", "^2*sqrt", "the scale twice"),
        Slip("/kappa", "/kappa^2", "the scale twice"),
    ),
    "text:firstChoice": (on_instances(partial(text_passing.known_choice, factor=Fraction(9, 10))),),
    "text:corollary": (
        never_contradicted(partial(text_corollary.optimum_links, factor=0.99)),
        Slip("*c_k", "^2*c_k", "the eigenvalue squared"),
        Slip("p =", "p^2 =", "p twice"),
        inequality(partial(text_corollary.below_both, sign=-1), "above both"),
    ),
    "eq:complexity": (
        Slip("0 = p_B", "1 = p_B", "a last probability that is not zero"),
        never_contradicted(partial(eq_complexity.two_minima, factor=1.1), 30),
        Slip("*(2*R", "^2*(2*R", "the square of L_P"),
    ),
    "text:nonconvex": (
        decided(
            lambda: text_nonconvex.above_the_chord(
                (3, 3, 1), (THIRD, THIRD, THIRD), text_nonconvex._FIRST, text_nonconvex._SECOND
            ),
            "equal costs, for which this chord lies above",
        ),
    ),
    "table:quad_functions": (
        refuted_by(lambda: tables.cell_is_wrong("03", "5.4", decimals=0), "the right number"),
        decided(lambda: tables.cells_recompute({}), "row 3 as printed"),
        decided(partial(tables.row_six_depends, cell="6.4"), "6.4 with 11.0"),
    ),
    "text:quadraticFunctions": (
        refuted_by(lambda: len(PAPER) != 12, "the true number of rows"),
        refuted_by(
            lambda: tables.ratios_below(Fraction(1, 283), ("12",)),
            "the ratio of row 12 is above 1/283",
        ),
        decided(lambda: tables.ratios_below(Fraction(9, 10), tuple(PAPER)), "row 1 is at 0.9009"),
    ),
    "table:ridge_regression": (tables.undetermined((Fraction(0), Fraction(0))),),
    "text:networkProbabilities": (
        refuted_by(
            lambda: text_networkProbabilities.climbs(
                text_networkProbabilities.decaying("0.9", "0.9")
            ),
            "the list as it should be",
        ),
        decided(
            lambda: text_networkProbabilities.lists_are_admissible(rates=("0.9", "1.1")),
            "a rate above one",
        ),
    ),
    "text:roundSizes": (Slip("+ 23*T", "+ 22*T", "22 T/44 for the last round"),),
    "ass:ABC": (),
    "thm:non-convex": (
        refuted_by(
            lambda: thm_non_convex.short_steps_fail(inverse_step=12), "the longest step reaches eps"
        ),
        on_quadratics(partial(least_gradient, factor=Fraction(1, 3), sharp=False), 30),
    ),
    "text:ABCtwoWays": (
        on_quadratics(partial(text_ABCways.second_moments, factor=2)),
        Slip("<= 2*L_P", "<= L_P", "half of the second moment"),
        Slip("2/p_i", "2/p_i^2", "divided by p twice"),
        Slip("s_i*", "-s_i*", "the smallest 1 / p does not bound"),
    ),
    "text:ABCnoOtherWays": (
        Slip("by weight*s", "by -weight*s", "the mixture turned round"),
        decided(
            lambda: text_ABCways.third_way_exists(3 * text_ABCways.HALF, 2 * text_ABCways.HALF),
            "a mixture, and more",
        ),
    ),
    "text:genericRootT": (
        on_instances(partial(text_genericRates.between, factor=2)),
        Slip("/T;", "/T^2;", "the square of T"),
        Slip("T +", "T + 1 +", "a term too many"),
        Slip("r^2", "2*r^2", "twice the growth"),
    ),
    "text:genericSecondCase": (
        on_quadratics(partial(text_genericRates.least_gradient, factor=Fraction(1, 2))),
        refuted_by(
            lambda: text_genericRates.not_covered(x=Fraction(0)),
            "at the minimiser nothing is excluded",
        ),
        Slip("G/2 <=", "G <=", "twice the decrease"),
        Slip("2*L", "L", "half of the rate"),
    ),
    "text:LambdaGeqLP": (
        on_random_matrices(partial(lem_key_quantity.right_sides, factor=0.99)),
        refuted_by(
            lambda: text_genericRates.two_bounds_say_less((4, 1), (Fraction(1), Fraction(1, 4))),
            "here the lemma would be enough",
        ),
        Slip("delta_i*", "-delta_i*", "the smallest eigenvalue does not bound"),
        Slip("s_i*", "-s_i*", "the smallest 1 / p does not bound"),
    ),
    "thm:oldConvex": (
        refuted_by(lambda: thm_oldConvex.divided_by_t_fails(3, 3), "with t = T the bound holds"),
        on_quadratics(partial(thm_oldConvex.gaps, factor=TENTH)),
        on_paths(partial(thm_oldConvex.gaps_on_paths, factor=TENTH), huber),
    ),
    "text:LPgeqL": (on_random_matrices(partial(text_oldConvexRate.top_and_weighted, factor=0.99)),),
    "text:optimalStepsize": (
        on_instances(partial(text_oldConvexRate.longest_is_best, factor=5)),
        Slip("(4*L_P)", "L_P", "1/L_P is not below 1/(2L)"),
        Slip("R*more", "-R*more", "shorter is better"),
        Slip("4*L_P*", "2*L_P*", "half of the bound"),
    ),
    "text:genericConvexWorse": (
        Slip("2/3*R", "4/3*R", "more than the whole"),
        Slip("5*L_P", "4*L_P", "the constant 4 is not enough"),
    ),
    "text:progfedAlpha": (
        on_instances(partial(text_progfed.any_weight, power=3)),
        identity(partial(text_progfed.constant_weight, power=1), "a in place of its square"),
        decided(lambda: text_progfed.weights_of_both_signs(-HALF), "a positive weight"),
        decided(
            lambda: text_progfed.weight_falls_along_the_run(y=HALF),
            "with y > 0 the weight stays at 1",
        ),
    ),
    "text:progfedQ": (
        on_instances(partial(text_progfed.any_ratio, power=3)),
        identity(partial(text_progfed.ratio, power=1), "a in place of its square"),
        Slip("n^2", "2*n^2", "twice the square"),
        decided(lambda: text_progfed.ratio_of_any_sign(-HALF), "a positive ratio"),
    ),
    "text:progfedFirst": (
        refuted_by(
            lambda: text_progfed.norm_without_square_fails(scale=2),
            "for large c more steps are promised",
        ),
        Slip("alpha^2*n/", "alpha*n/", "the weight itself in place of its square"),
        on_instances(partial(text_progfed.one_layer, power=1)),
    ),
    **{claim.label: () for claim in CLAIMS},
}

WRONG = twins(TWINS)
