(* What the theorems rest on: Coq's classical real numbers, and nothing of ours.
   simulate prove compares what this prints with axioms.txt. *)

From Redlock Require Import Majority Clocks System Claims Acquisition Recovery Necessity Fencing Allowance.

Print Assumptions mutual_exclusion.
Print Assumptions majority_keeps_the_key.
Print Assumptions no_vote_for_another.
Print Assumptions bar_of_the_largest_ttl.
Print Assumptions key_is_only_its_owners.
Print Assumptions only_its_owner_extends_a_key.
Print Assumptions failed_extension_lengthens_nothing.
Print Assumptions never_revived.
Print Assumptions dead_keys_are_gone.
Print Assumptions contender_can_acquire.
Print Assumptions without_lacks_it.
Print Assumptions without_keeps_the_others.
Print Assumptions each_is_needed.
Print Assumptions allowance_is_tight.
Print Assumptions kept_hypotheses_grant_and_extend.
Print Assumptions deadline_is_needed.
Print Assumptions tokens_differ.
Print Assumptions tokens_grow.
Print Assumptions mark_never_falls.
Print Assumptions smaller_token_is_shut_out.
Print Assumptions earlier_lease_is_shut_out.
Print Assumptions write_back_is_needed.
Print Assumptions durable_counters_are_needed.
Print Assumptions comparing_is_needed.
Print Assumptions required_is_the_hypothesis.
Print Assumptions twice_the_grain_is_enough.
Print Assumptions one_percent_is_enough.
Print Assumptions quorum_is_majority.
Print Assumptions majorities_meet.
Print Assumptions allowance_formula.
