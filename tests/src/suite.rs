//! The behaviour that every backend has, case by case. A case's name is a sentence.
//!
//! A case takes a [`World`](crate::world::World) and panics if the world is not as it should be. `tests/memory.rs` and
//! `tests/valkey.rs` run all of them; a new case is written once, and named once in the list below.

pub mod condition;
pub mod delete;
pub mod example;
pub mod expiry;
pub mod expiry_log;
pub mod find;
pub mod finder;
pub mod group;
pub mod handler;
pub mod health;
pub mod id;
pub mod idle;
pub mod index_refusal;
pub mod indexed;
pub mod keyspace;
pub mod mapping;
pub mod mapping_kind;
pub mod near;
pub mod promise;
pub mod query;
pub mod reference;
pub mod resume;
pub mod save;
pub mod term;
pub mod term_change;
pub mod term_read;
pub mod term_table;
pub mod update;
pub mod update_term;
pub mod version;

/// Where the cases keep what they save, with the prefixes of their stores: a user of a restricted world may go nowhere else.
#[rustfmt::skip]
pub const KEYSPACES: &[&str] = &[
    "accounts", "acme:sessions", "beta:sessions", "camper", "carts", "companies", "contracts",
    "counters", "declared", "field", "folk", "idle", "keys", "leases", "mapped", "members", "method",
    "millis", "mines", "notes", "odd_one", "people", "pings", "plans", "refused", "rents", "residents",
    "sailors", "seconds", "sessions", "shop", "shop:eu", "silent", "t:sessions", "tenant:firms",
    "tenant:workers", "tickets", "ticks", "timers", "token", "units", "until", "visits", "workers",
];

/// Makes a test of each case. The caller has an `async fn world() -> World` beside it.
#[macro_export]
macro_rules! suite {
    () => {
        $crate::suite_tests! {
            save: [
                what_was_saved_is_found_again,
                a_save_replaces_the_whole_entity,
                a_save_says_whether_the_entity_is_new_and_when_it_expires,
                an_id_is_generated_where_there_is_none,
                many_are_saved_and_each_says_how_it_went,
                one_bad_item_does_not_sink_the_rest,
                an_empty_batch_is_nothing,
                a_reader_never_sees_an_entity_missing_or_mixed,
                a_save_that_races_with_a_delete_leaves_all_or_nothing,
            ],
            find: [
                what_is_not_there_is_none,
                many_are_found_in_the_order_asked_for,
                all_are_found_each_once,
                all_are_streamed,
                count_and_exists_agree_with_find,
                what_cannot_be_decoded_says_where_and_not_what,
            ],
            delete: [
                a_delete_says_whether_there_was_something,
                many_are_deleted_and_counted,
                all_are_deleted_and_no_other_keyspace,
                an_entity_without_an_id_cannot_be_deleted,
                a_deleted_entity_has_no_event,
            ],
            id: [
                an_id_that_would_be_another_key_is_refused,
                ids_of_any_text_are_kept_apart,
                numbers_and_uuids_are_ids,
            ],
            term: [
                the_nearest_term_counts,
                a_term_that_is_none_is_refused_and_nothing_is_written,
                a_persistent_save_takes_the_term_away,
                a_shorter_term_replaces_a_longer_one,
                every_write_path_sets_the_same_deadline,
                a_deadline_in_the_past_is_refused,
                a_term_by_a_method_counts,
            ],
            term_read: [
                minus_one_is_persistent_and_reads_back,
                what_remains_is_read_back,
                saving_what_was_found_keeps_its_deadline,
                every_unit_is_converted_once,
            ],
            term_change: [
                a_living_entity_is_given_another_term,
                what_is_not_alive_is_given_no_term,
                a_term_that_is_none_is_not_given,
                the_event_comes_at_the_deadline_given_last,
                a_save_can_keep_what_remains,
                an_entry_says_what_remains_and_until_when,
                a_term_given_later_is_read_back,
            ],
            idle: [
                an_idle_term_begins_anew_with_each_read_by_id,
                listing_and_counting_renew_nothing,
                a_term_is_renewed_once_a_thirtieth_has_passed,
                what_has_little_left_is_renewed_before_the_read_returns,
                a_short_idle_term_is_renewed_before_the_read_returns,
                a_renewal_revives_nothing,
                a_store_that_is_dropped_still_renews_what_was_read,
                other_terms_beside_an_idle_default_are_not_renewed,
                an_idle_term_of_the_call_is_renewed_by_any_process,
                saving_what_was_found_keeps_an_idle_term_idle,
                an_entity_that_was_idle_for_too_long_has_its_event,
            ],
            condition: [
                an_insert_is_refused_while_the_id_lives,
                an_insert_after_expiry_succeeds_and_the_earlier_life_has_its_event,
                of_a_hundred_inserts_one_succeeds,
                inserting_many_says_which_were_there,
                of_a_hundred_who_take_one_gets_it,
                what_has_expired_cannot_be_taken,
                a_hundred_who_change_by_a_function_lose_nothing,
                a_change_by_a_function_keeps_what_remains,
                a_change_by_a_function_brings_nothing_into_being,
                a_change_of_what_is_deleted_meanwhile_is_none,
                a_change_that_is_raced_each_time_ends_in_a_conflict,
            ],
            promise: [
                a_ttl_counts_from_the_write,
                an_expires_at_is_that_time,
                an_idle_term_counts_from_the_last_read_or_write,
                without_a_term_a_key_never_expires,
                the_default_counts_unless_the_call_says_otherwise,
                what_has_expired_can_be_created_again,
                a_version_of_what_has_expired_is_a_conflict,
                a_key_that_is_only_listed_goes_idle,
                seconds_from_one_to_nine_billion_are_a_term,
                what_remains_of_a_key_can_be_read,
            ],
            term_table: [
                every_term_through_every_path_is_the_same_deadline,
                a_deadline_that_the_entity_states_is_that_of_every_path,
            ],
            update: [
                fields_are_changed_in_the_order_written,
                what_is_replaced_leaves_nothing_behind,
                a_nested_field_is_changed_alone,
                a_field_of_what_is_none_cannot_be_set,
                an_update_of_what_is_not_there_does_nothing_and_says_so,
                the_event_has_what_was_changed,
                if_one_change_cannot_be_done_none_is,
                numbers_are_added_to_where_they_are_stored,
                of_many_increments_none_is_lost,
                a_field_that_is_stored_under_an_alias_is_replaced,
                what_is_stored_in_another_form_is_not_changed,
            ],
            update_term: [
                an_update_keeps_what_remains,
                a_refresh_gives_the_declared_term_again,
                an_update_can_give_a_term_of_its_own,
                a_refresh_gives_the_term_that_the_entity_states,
                a_refresh_asks_the_method_that_states_the_term,
            ],
            version: [
                the_second_of_two_who_loaded_the_same_is_refused,
                a_new_entity_does_not_replace_one_that_is_there,
                a_version_can_be_demanded_by_the_call,
                an_update_is_a_new_version,
                each_of_many_has_its_own_version,
                what_is_stored_without_a_version_can_be_taken_over,
                ten_thousand_racing_changes_are_all_done,
            ],
            reference: [
                a_reference_is_stored_as_keyspace_and_id,
                a_reference_leads_to_its_entity_as_it_is_now,
                many_are_loaded_in_their_order_and_what_dangles_is_named,
                what_a_field_refers_to_is_loaded_for_many_entities,
                a_reference_to_what_has_expired_dangles,
                a_dangling_reference_survives_the_next_save,
                entities_may_refer_to_each_other_and_to_themselves,
                what_only_resembles_a_reference_is_a_decode_error,
                a_reference_to_what_has_no_id_is_refused,
                a_reference_is_changed_alone,
                loading_one_is_a_use_of_it_and_loading_many_is_none,
                a_reference_names_the_keyspace_that_the_type_declares,
                what_stands_beside_a_reference_keeps_its_type,
                what_refers_to_an_entity_is_found,
            ],
            expiry: [
                an_expired_entity_is_absent_to_every_call,
                an_event_carries_the_value,
                an_event_says_what_it_is_about,
                each_life_has_its_own_event,
                a_life_that_was_not_reaped_is_reaped_by_the_next_save,
                a_life_that_was_not_reaped_is_reaped_by_a_delete,
                a_renewed_entity_does_not_expire_early,
                what_another_client_does_to_a_key_is_respected,
                a_backlog_is_reaped_by_the_first_to_listen,
                after_the_grace_there_is_an_event_without_a_value,
                without_a_shadow_copy_the_event_has_the_id_alone,
                with_events_off_subscribing_is_an_error_and_a_sweep_reaps,
                from_the_start_a_store_reaps_without_anybody_subscribing,
                a_sweep_leaves_nothing_to_a_second_one,
                of_what_has_expired_nothing_is_left,
            ],
            expiry_log: [
                ten_subscribers_get_every_event_with_its_value,
                a_subscriber_hears_what_another_process_saved,
                a_subscriber_hears_on_when_another_process_has_gone,
                a_thousand_saved_right_after_subscribing_all_come,
                a_slow_subscriber_loses_nothing,
                a_wait_that_is_given_up_loses_no_event,
                other_keyspaces_events_are_not_ours,
                listening_adds_to_the_flags_of_the_server,
                events_are_in_the_order_of_deadlines,
                an_event_past_the_retention_is_a_gap_to_who_had_not_read_it,
                a_gap_is_told_to_who_had_not_read_anything,
                a_log_that_is_gone_is_a_gap_as_well,
                a_gap_does_not_pass_with_time,
                a_handler_that_fails_does_not_end_the_stream,
            ],
            keyspace: [
                one_keyspace_within_another_is_refused,
                a_name_that_would_break_the_layout_is_refused,
                settings_rename_a_keyspace,
                a_prefix_keeps_tenants_apart,
                types_can_share_a_keyspace,
                a_colon_in_the_keyspace_does_no_harm,
                dropping_the_last_handle_ends_the_listener,
            ],
            indexed: [
                every_index_finds_what_was_saved,
                a_value_that_is_replaced_or_none_is_not_found_any_more,
                what_is_deleted_is_in_no_index,
                what_has_expired_is_in_no_index,
                a_life_that_was_not_reaped_leaves_nothing_in_the_next,
                a_partial_update_moves_only_what_it_changes,
                a_field_in_each_element_of_a_list_is_not_changed_by_itself,
                none_is_not_indexed_and_the_text_null_is,
                any_text_is_found_as_itself_and_nothing_else,
                keys_of_maps_that_look_like_others_are_told_apart,
                a_unique_value_is_one_living_entitys,
                of_a_hundred_who_insert_one_unique_value_one_wins,
            ],
            resume: [
                a_subscriber_goes_on_where_it_was,
                from_the_start_is_all_that_the_log_has,
                a_position_past_the_retention_is_one_gap,
                a_position_of_another_log_passes_nothing_over,
            ],
            group: [
                each_event_goes_to_one_of_a_group,
                what_is_not_acknowledged_in_time_is_delivered_again,
                a_group_goes_on_where_it_was,
                a_new_group_begins_where_it_is_told,
                a_new_group_gets_what_was_due_and_unseen,
                what_is_delivered_in_vain_is_put_aside_and_replayed,
                what_is_put_aside_outlives_the_retention,
                what_the_retention_takes_from_a_group_is_a_gap,
                a_group_outlives_its_log,
                asking_for_the_next_can_acknowledge_the_one_before,
                what_one_does_not_get_to_goes_to_others,
                a_reader_that_goes_leaves_what_it_took_to_others,
                a_group_that_cannot_be_is_refused,
            ],
            handler: [
                a_handler_that_fails_or_panics_delays_no_other_event,
                a_group_gets_again_what_its_handler_failed_at,
                many_events_are_handled_a_few_at_a_time,
                stopping_finishes_what_runs,
                a_stream_is_handled_until_it_is_told_to_end,
                a_handler_knows_how_far_it_has_come,
                an_entity_that_panics_when_read_harms_no_other,
            ],
            index_refusal: [
                an_id_that_is_the_key_of_an_index_is_refused,
                a_point_that_is_none_leaves_nothing_behind,
                an_index_that_cannot_be_is_refused_by_every_call,
                a_value_that_cannot_be_indexed_is_refused_before_anything_is_written,
            ],
            query: [
                filters_are_put_together_with_the_usual_precedence,
                what_is_found_is_the_entities_in_order,
                a_point_is_no_single_value_to_sort_by,
                pages_have_each_entity_once,
                slices_go_on_where_they_ended,
                one_first_count_and_exists_say_how_many_there_are,
                many_are_streamed_in_order,
                what_is_found_is_deleted,
                near_is_the_nearest_first_with_the_distance,
                at_the_deadline_nothing_sees_an_entity_any_more,
                what_is_gone_for_another_reason_is_skipped_and_repaired,
                a_plan_is_explained_without_being_run,
            ],
            example: [
                what_is_filled_in_and_indexed_counts,
                any_of_what_is_filled_in_can_suffice,
                an_example_without_anything_indexed_is_never_everything,
                a_map_in_an_example_is_not_taken_for_another,
            ],
            finder: [
                every_verb_does_what_it_says,
                every_operator_finds_what_it_says,
                and_binds_closer_than_or,
                fields_of_all_kinds_are_named,
                what_is_found_is_put_in_order_and_then_cut,
                near_is_the_nearest_first,
                several_for_an_option_are_an_error_and_no_choice,
                each_call_has_its_own_arguments,
                what_has_expired_is_found_by_no_finder,
                an_application_builds_on_finders,
            ],
            health: [
                a_store_that_nobody_has_used_is_healthy,
                a_store_that_listens_says_what_it_reaped_and_how_late_it_was,
                what_nobody_reaps_is_told_as_due,
                what_waits_for_long_to_be_reaped_is_a_problem,
                idle_terms_that_began_anew_are_counted,
            ],
            near: [
                what_was_found_is_at_hand,
                what_a_store_has_written_it_finds,
                what_a_query_deletes_is_at_hand_no_more,
                a_term_goes_on_for_what_is_at_hand_and_ends_it,
                nothing_is_found_past_its_deadline,
                what_is_idle_is_not_kept,
                what_is_not_there_is_asked_for_each_time,
                what_another_store_writes_is_found,
                tenants_have_each_their_own_at_hand,
                what_is_done_to_what_was_found_is_not_done_to_what_is_at_hand,
                a_cache_has_its_bounds,
                a_find_after_a_write_never_finds_what_was_before,
            ],
            mapping: [
                empty_and_none_come_back_as_they_were,
                what_is_not_stored_reads_as_empty_or_none,
                scalars_come_back_to_the_last_bit,
                a_hole_in_a_list_stays_a_hole,
                lists_of_one_name_on_two_levels_are_kept_apart,
                bytes_come_back_as_they_were,
                shrinking_leaves_nothing_behind,
                forty_thousand_elements_expire_with_their_value,
            ],
            mapping_kind: [
                map_keys_keep_their_type,
                maps_of_sets_come_back,
                every_kind_of_enum_comes_back,
                untyped_json_comes_back,
            ],
        }
    };
}

/// The tests of [`suite!`](macro@crate::suite).
#[macro_export]
macro_rules! suite_tests {
    ($($module:ident: [$($case:ident),* $(,)?]),* $(,)?) => {
        $(mod $module {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                let world = super::world().await;
                kvrepo_tests::suite::$module::$case(&world).await;
                world.finish().await;
            })*
        })*
    };
}
