"""Wrong twins of the checks in proofs_check/ours, in the order of the ledger."""

from fractions import Fraction
from functools import partial

from proofs_check.checks.one_step import distances, on_random_forms
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
    strongly_convex,
    strongly_convex_sharp,
    strongly_convex_simple,
    strongly_convex_worst,
    tightness,
    two_bounds,
    when_rpt_helps,
)
from proofs_check.paper import text_replaceLPbyLM, thm_rcdConvex
from proofs_check.paper.lem_twoBounds import upper_sides
from proofs_check.paper.text_oldConvexRate import top_and_weighted

from . import Slip, twins


def much_less(T: int, gamma: Fraction, _: Fraction) -> Fraction:
    return 1 / ((12 * T + 4) * gamma)


def less(T: int, gamma: Fraction, L_P: Fraction) -> Fraction:
    return last_iterate.like_descent(T, gamma, L_P) / 4


P = (strongly_convex_sharp.ONE, strongly_convex_sharp.THIRD)
HALF = Fraction(1, 2)
QUARTER = Fraction(1, 4)
TENTH = Fraction(1, 10)
LESS = Fraction(49, 100)
shorter = partial(last_iterate.longer, constant=Fraction(1, 100))
L = ((1, 0, 0), (0, 1, 0), (0, 0, 1))

TWINS = {
    "our:keyQuantity": (
        on_instances(partial(key_quantity.every_sampling, factor=Fraction(9, 10))),
        Slip("p_ij*", "p_ij^2*", "pair probabilities squared"),
        Slip("(p_i))^", "(p_i)^2)^", "indicators over p, whose diagonal is not one"),
        Slip("S +", "S -", "the square of the difference"),
        Slip("1 = t", "2 = t", "K with twos on the diagonal moves t I"),
    ),
    "our:generalizedSmoothness": (
        on_instances(partial(generalized_smoothness.any_weight, factor=Fraction(9, 10))),
        Slip("R_mn*R_nj", "R_mn*R_nj^2", "a root too many"),
        Slip("2*N", "4*N", "a quarter for the half"),
        Slip("(2*A)", "A", "twice the decrease"),
    ),
    "our:stronglyConvex": (
        on_quadratics(partial(strongly_convex.distances, factor=2)),
        on_paths(
            partial(strongly_convex.distances, factor=2), strongly_convex.huber, mu=Fraction(1, 2)
        ),
        Slip("2/p_i", "2/p_i^2", "divided by p twice"),
        Slip("2*gamma^", "gamma^", "half of the second moment"),
        Slip("gamma*mu", "2*gamma*mu", "mu counted twice"),
        Slip("by 2", "by -2", "a stepsize above 1/L_P"),
        Slip("L_P*missing", "-L_P*missing", "mu above L_P"),
        Slip("t + 1", "t + 2", "a power too many"),
    ),
    "our:freshDraws": (
        decided(lambda: strongly_convex.same_sketch_breaks_the_rate(steps=1), "a single step"),
    ),
    "our:stronglyConvexConjecture": (
        refuted_by(
            lambda: strongly_convex_sharp.conjecture_fails(((5, 2), (2, 2)), P, 1, 9, (1, -2)),
            "here the factor is enough",
        ),
    ),
    "our:stronglyConvexSharp": (
        on_random_forms(scale=Fraction(99, 100)),
        on_quadratics(partial(distances, scale=Fraction(99, 100)), 30),
        on_paths(partial(distances, scale=Fraction(99, 100)), huber, 20, mu=Fraction(1, 2)),
        Slip("2/p_i", "2/p_i^2", "divided by p twice"),
        Slip("gamma*mu", "2*gamma*mu", "mu taken away twice"),
        Slip("u^2", "u", "no square"),
        Slip("(s^", "2*(s^", "twice the share"),
        Slip("s^2", "2*s^2", "twice the share"),
        Slip("below_i*", "-below_i*", "the least share does not bound"),
        Slip("by (", "by -(", "a negative factor"),
        Slip("t + 1", "t + 2", "a power too many"),
        Slip("4*(2 - c)", "4*(1 - c)", "another leading coefficient"),
        Slip("s*more", "-s*more", "shares above s"),
        Slip("(v + w)^2", "(v + w)", "weights that do not fit"),
    ),
    "our:stronglyConvexSimple": (
        on_quadratics(partial(strongly_convex_simple.distances, factor=Fraction(21, 10))),
        identity(partial(strongly_convex_simple.share_at_two, multiplier=3), "another multiplier"),
        Slip("by 2", "by -2", "the largest probability"),
        Slip("s*d", "-s*d", "above the paper's factor"),
    ),
    "our:stronglyConvexWhen": (
        on_instances(partial(strongly_convex_simple.either_way, wider=1)),
        inequality(partial(strongly_convex_simple.never_below, sign=-1), "a share below the least"),
        Slip("2*(1 - s/least)", "1 - s/least", "half of the multiplier"),
        inequality(partial(strongly_convex_simple.close_probabilities, sign=-1), "a larger share"),
        identity(partial(strongly_convex_simple.far_probabilities, sign=-1), "a smaller share"),
        Slip("/s = s;", "/s = 2*s;", "twice s"),
    ),
    "our:stronglyConvexWorst": (
        strongly_convex_worst.attained_exactly((1, 1, 2, 2, 2)),
        identity(partial(strongly_convex_worst.slope, factor=2), "twice the slope"),
        Slip("a) +", "a) -", "slopes of the same sign"),
        Slip("u^2/d", "u/d", "no square"),
        Slip("share - (e", "share - 2*(e", "the multiplier twice"),
        Slip("= s*z_i + u_i", "= s*z_i + 2*u_i", "u twice"),
        Slip("- u_j", "+ u_j", "the wrong sign in the square"),
    ),
    "our:convexSharp": (
        on_quadratics(partial(thm_rcdConvex.gaps, factor=LESS, largest=Fraction(1))),
        on_paths(partial(thm_rcdConvex.gaps, factor=LESS, largest=Fraction(1)), huber),
        Slip("2/p_i", "2/p_i^2", "divided by p twice"),
        Slip("slack/", "-slack/", "L above L_P P"),
        Slip("1/L_P", "2/L_P", "twice the norm"),
        Slip("by gamma", "by -gamma", "a stepsize above 1/L_P"),
        Slip("R_0 - R_T2", "R_0 - 2*R_T2", "the last distance twice"),
        Slip("c*R_last", "-c*R_last", "a square below zero"),
        Slip("gamma*total", "2*gamma*total", "twice the mean"),
        Slip("4*(R", "2*(R", "half of the gain"),
    ),
    "our:convexAttained": (
        convex_sharp.attained_by_huber(start=2),
        Slip("T + 1;", "T + 2;", "a start too far"),
    ),
    "our:lastIterate": (
        on_quadratics(partial(last_iterate.gaps, rule=much_less)),
        on_paths(partial(last_iterate.gaps, rule=much_less), huber),
        Slip("N, by gamma", "N, by -gamma", "values that rise"),
        Slip("gamma^2*g_i^2*(1", "gamma*g_i^2*(1", "gamma once"),
        Slip("by (", "by -(", "the other sign"),
        inequality(partial(last_iterate.weights_do, factor=1), "half of the product"),
        identity(partial(last_iterate.ends, factor=4), "4T + 1"),
        Slip("gamma*(3", "gamma*(4", "4T + 1"),
    ),
    "our:lastIterateOne": (
        on_quadratics(partial(last_iterate.gaps, rule=less, most=1)),
        on_paths(partial(last_iterate.gaps, rule=less, most=1), huber),
        decided(lambda: last_iterate.huber_attains(Fraction(2)), "a start nearer to the minimiser"),
        Slip("= -(w", "= (w", "the other sign"),
        Slip("y + (1 - 2*h)", "y + (1 - h)", "half a step"),
        Slip("4*a*c - b", "4*a*c + b", "the other sign"),
        Slip("by j/", "by -j/", "the other sign"),
    ),
    "our:lastIterateDescent": (
        refuted_by(
            lambda: last_iterate.descent_fails(x0=(Fraction(1), Fraction(0))),
            "from here the bound holds",
        ),
    ),
    "our:lastIterateShort": (
        on_quadratics(partial(last_iterate.gaps, rule=less, shares=(Fraction(1, 2),))),
        on_paths(partial(last_iterate.gaps, rule=less, shares=(Fraction(1, 2),)), huber),
    ),
    "our:lastIterateLong": (
        on_quadratics(
            partial(last_iterate.gaps, rule=shorter, most=1, shares=(last_iterate.LONG,))
        ),
        on_paths(
            partial(last_iterate.gaps, rule=shorter, most=1, shares=(last_iterate.LONG,)), huber
        ),
    ),
    "our:nonconvexOneStep": (
        on_instances(partial(nonconvex.exact_decrease, halves=2)),
        Slip("H_ij*v_i", "2*H_ij*v_i", "twice the curvature"),
        Slip("L_M/2", "L_M", "twice the second-order term"),
        Slip("2*(L*x^2/2)", "L*x^2/2", "half of the bound"),
    ),
    "our:nonconvexApproached": (
        on_instances(partial(nonconvex.run_down, gap=Fraction(1, 4))),
        Slip("by L", "by -L", "bends up"),
        identity(partial(nonconvex.decrease_of_a_piece, factor=2), "twice the excess"),
        Slip("by e", "by -e", "beyond one"),
    ),
    "our:nonconvexRandomIterate": (
        on_quadratics(partial(text_replaceLPbyLM.mean_gradients, factor=Fraction(9, 10))),
        Slip("<= f_0 - f_T2", "<= f_0 - f_T2 - slack", "a slack taken away twice"),
        Slip("total/n", "total/n^2", "divided twice"),
        Slip("2*delta", "delta", "half of the bound"),
    ),
    "our:LMconvex": (
        decided(lambda: nonconvex.distance_grows((40, 10), (1, 16), 2200), "two coordinates"),
    ),
    "our:functionValues": (
        on_quadratics(partial(function_values.gaps, factor=2)),
        Slip("gamma/2", "gamma", "all of the gradient"),
        Slip("(2*mu)", "mu", "twice the gradient"),
        Slip("gamma*mu", "2*gamma*mu", "twice as fast"),
        Slip("mu*r_i", "-mu*r_i", "probabilities above 1"),
        Slip("t + 1", "t + 2", "two steps in one"),
        Slip("/S;", "/S^2;", "p_i that do not add up to one"),
    ),
    "our:twoBounds": (
        on_random_matrices(partial(upper_sides, factor=0.9)),
        Slip("R_aj*x_j", "R_aj*x_j^2", "x twice on one side"),
        Slip("- y_kb", "+ y_kb", "the square of the sum"),
        Slip("delta_ki*", "-delta_ki*", "the smallest eigenvalue of the block"),
        Slip("- a_l", "+ a_l", "the square of the sum"),
    ),
    "our:indefinite": (
        decided(
            lambda: two_bounds.breaks_the_upper_bound(((2, 1), (1, 2)), (1, 1)),
            "a semidefinite matrix",
        ),
        decided(
            lambda: two_bounds.breaks_the_upper_bound(((0, 1), (1, 0)), (1, -1)),
            "the other eigenvector",
        ),
    ),
    "our:tightness": (
        tightness.construction(slack=Fraction(1, 2)),
        Slip("a_k*", "2*a_k*", "subtracted twice"),
        Slip("eps_k*", "-eps_k*", "a negative eigenvalue"),
        Slip("a_1*", "a_1^2*", "the fourth power"),
        Slip("w_j)^2", "w_j)", "a square missing"),
        Slip("/p_j", "/p_j^2", "divided by p twice"),
    ),
    "our:sdp": (
        never_contradicted(partial(sdp.both_programs, factor=1.1)),
        Slip("/s;", "/s^2;", "L_P falls with the square of the scale"),
        Slip("*p_i", "*p_i^2", "P squared"),
        Slip("= L_P", "= L_P^2", "L_P squared"),
        Slip("m) =", "m^2) =", "divided by the maximum twice"),
        Slip("by s_k", "by -s_k", "q below the block constants"),
        Slip("by rest", "by -rest", "negative remaining terms"),
        Slip("*q_i", "^2*q_i", "a mixture with a squared weight"),
    ),
    "our:duality": (
        duality.certificates(traces=Fraction(101, 100)),
        Slip("S_ij*v_j", "S_ij*v_j^2", "v three times"),
        Slip("by (", "by -(", "the logarithm above its tangent"),
        Slip("c_k^", "-c_k^", "the barrier wins"),
        Slip("= A/determinant", "= A^2/determinant^2", "the inverse squared"),
        Slip("*(S_ij", "^2*(S_ij", "a gap of mu squared"),
        Slip("- v_ja", "+ v_ja", "the square of the sum"),
    ),
    "our:sandwich": (
        never_contradicted(partial(sandwich.links, factor=1.01)),
        Slip("s_k*", "-s_k*", "q below the block constants"),
        Slip("p =", "p^2 =", "p twice"),
        Slip("- s_l", "+ s_l", "the square of the sum"),
        Slip("by delta_i", "by -delta_i", "the smallest eigenvalue"),
        Slip("*c_k", "^2*c_k", "the eigenvalue squared"),
        Slip("by delta_ki", "by -delta_ki", "the smallest eigenvalue of the block"),
        Slip("*optimum", "^2*optimum", "the bound B^2 times the optimum"),
    ),
    "our:closedFormFactor": (
        never_contradicted(partial(closed_form_factor.sides, factor=0.95)),
        Slip("D =", "D^2 =", "D twice"),
        Slip("by lambda_j", "by -lambda_j", "negative eigenvalues"),
        Slip("h_k/sqrt", "h_k^2/sqrt", "the share squared"),
        Slip("- s_l", "+ s_l", "the square of the sum"),
        Slip("w_k*", "-w_k*", "the smallest s in place of the largest"),
        inequality(partial(closed_form_factor.last_square, sign=1), "the square of the sum"),
        Slip("top := 1", "top := 2", "another s"),
    ),
    "our:whenRPTHelps": (
        on_instances(partial(when_rpt_helps.rank_one, more=1), 20, Evidence.RIGOROUS),
        Slip("by delta_i", "by -delta_i", "the smallest eigenvalue"),
        Slip("*c_k", "^2*c_k", "the eigenvalue squared"),
        Slip("delta_i*", "-delta_i*", "the smallest eigenvalue"),
        Slip("= L_max*c_k", "= L_max*c_k^2", "traces squared"),
        Slip("- v_ib", "+ v_ib", "the square of the sum"),
        decided(
            lambda: when_rpt_helps.gradient_descent_is_best(
                ((2, 1), (1, 2)), 3, ((HALF, 0), (0, HALF)), (HALF, HALF)
            ),
            "a Y outside the eigenspace",
        ),
        decided(
            lambda: when_rpt_helps.no_such_point(((2, 1), (1, 2)), 3, (1, 1), (HALF, HALF)),
            "the costs of the instance before",
        ),
    ),
    "our:logConvex": (
        on_random_matrices(partial(log_convex.midpoint_sides, factor=0.99)),
        Slip("p_i;", "p_i^2;", "P twice"),
        Slip("R_aj*x_j", "R_aj*x_j^2", "x twice on one side"),
        Slip("g_i^", "-g_i^", "negative weights"),
        Slip("(v_l", "-(v_l", "concave"),
        Slip("2*g_2", "-2*g_2", "concave"),
    ),
    "our:overhead": (
        overhead.certificates(lowered=Fraction(99, 100)),
        Slip("*p_k", "^2*p_k", "L_P squared"),
        Slip("s_k*", "s_k^2*", "the share squared"),
        Slip("s_k*w_k", "-s_k*w_k", "the minimum in place of the maximum"),
        Slip("m*c_0", "-m*c_0", "the barrier wins"),
        Slip("= s", "= s^2", "the share squared"),
    ),
    "our:forcedOrder": (
        never_contradicted(partial(forced_order.both_programs, factor=1.1), 30),
        Slip("0*K_B", "1*K_B", "a last probability that is not zero"),
        Slip("t*w", "-t*w", "ascending"),
        Slip("q_i*w", "-q_i*w", "falling costs"),
    ),
    "our:pooledClosedForm": (
        forced_order.pooling(strict=True),
        Slip("by w*C_T", "by -w*C_T", "a higher ratio merged with a later, lower one"),
        identity(partial(forced_order.moved_amounts, shift=2), "moved twice"),
        Slip("s*w", "-s*w", "moved to later ranks"),
        Slip("C_j*sqrt(A/C)", "C_j*A/C", "the ratio without its root"),
        Slip("p =", "p^2 =", "p twice"),
    ),
    "our:samplingIndependence": (
        on_quadratics(partial(sampling_independence.same_cost, factor=2)),
        Slip("= p_k", "= p_k^2", "the probability squared"),
        Slip("L_ij/sqrt(p_i*p_j)", "L_ij*p_ij/(p_i*p_j)", "E[CLC], which depends on pairs"),
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
        Slip("= r_k*L_ij; p_k", "= r_k^2*L_ij; p_k", "r squared"),
        Slip("= theta", "= theta^2", "a squared weight"),
        Slip("2*c_k", "-2*c_k", "concave"),
        Slip("= s", "= s^2", "the scale squared"),
        inequality(partial(second_moment_convex.never_negative, sign=-1), "never positive"),
        Slip("L_M room >= 0", "room >= 0", "an L_M of any sign"),
        Slip("by s_k", "by -s_k", "L_M below a block"),
        decided(
            lambda: second_moment_convex.orders_do_not_mix(
                ((2, 2), (2, 6)), 7, ((4, 4), (4, 4)), (1, -1), 8
            ),
            "the other eigenvector",
        ),
    ),
    "our:genericNonconvex": (
        on_quadratics(partial(generic_nonconvex.least_gradient, factor=Fraction(1, 3)), 30),
        Slip("A*gamma^2", "A*gamma", "gamma once"),
        Slip("*(q", "^2*(q", "a weight too many"),
        Slip("- w_T/", "+ w_T/", "the other sign"),
        Slip("<= LA", "<= 2*LA", "twice the bound"),
        Slip("by a", "by -a", "weights that grow"),
        Slip("/T;", "/T^2;", "the square of T"),
        Slip("n +", "n + 1 +", "one more"),
        Slip("4*delta", "3*delta", "3 in place of 4"),
    ),
    "our:genericConvex": (
        on_quadratics(partial(thm_rcdConvex.gaps, factor=TENTH, largest=QUARTER)),
        on_paths(partial(thm_rcdConvex.gaps, factor=TENTH, largest=QUARTER), huber),
        Slip("<= R - 2", "<= R - 4", "twice the decrease"),
        Slip("3/2*gamma", "4/2*gamma", "nothing lost"),
        Slip("R_0 - R_T2", "R_0 - 2*R_T2", "the last distance twice"),
        Slip("c*R_last", "-c*R_last", "a square below zero"),
        Slip("gamma*total", "2*gamma*total", "twice the mean"),
    ),
    "our:LPgeqL": (
        on_random_matrices(partial(top_and_weighted, factor=0.9)),
        Slip("L_P*missing_i", "-L_P*missing_i", "probabilities above 1"),
    ),
    "our:polyakLojasiewicz": (
        on_paths(partial(function_values.gaps_on_paths, mu=2), function_values.dented),
        Slip("gamma/2", "gamma", "all of the gradient"),
        Slip("gamma*mu", "2*gamma*mu", "twice the rate"),
        Slip("following/", "-following/", "the other sign"),
        Slip("t + 1", "t + 2", "a power too many"),
    ),
    "our:proximal": (
        on_quadratics(partial(proximal.distances, factor=2), 30),
        Slip("by 2", "by -2", "the other sign"),
        Slip("gamma^2", "gamma", "gamma once"),
        Slip("gamma*mu", "2*gamma*mu", "twice the rate"),
        Slip("t + 1", "t + 2", "a power too many"),
    ),
    "our:noisyConvex": (
        on_paths(partial(noisy.gaps, factor=Fraction(1, 2)), huber),
        identity(partial(noisy.one_step, power=1), "gamma once"),
        Slip("by 2*gamma*s + gamma*rest", "by -2*gamma*s - gamma*rest", "the other sign"),
        Slip("R_0 - R_T2", "R_0 - 2*R_T2", "the last distance twice"),
        Slip("2*m", "3*m", "a third"),
        Slip("gamma*total", "2*gamma*total", "twice the mean"),
    ),
    "our:noisyStronglyConvex": (
        on_paths(partial(noisy.distances, factor=Fraction(1, 2)), huber, mu=1),
        identity(partial(noisy.one_step, power=1), "gamma once"),
        Slip("gamma*mu", "2*gamma*mu", "twice the rate"),
        Slip("by (", "by -(", "the other sign"),
        Slip("t + 1", "t + 2", "a power too many"),
    ),
    "our:noisyNonconvex": (
        on_paths(partial(noisy.gradients, factor=Fraction(1, 2)), saturating),
        identity(partial(noisy.decrease, factor=2), "twice the second moment"),
        Slip("2*delta", "delta", "half of it"),
    ),
    "our:portableCertificate": (
        on_instances(partial(portable_certificate.certified, room=1)),
        Slip("x_j)^2", "x_j)", "no square"),
        Slip("m*(x_i +", "-m*(x_i +", "the other sign"),
    ),
}

WRONG = twins(TWINS)
