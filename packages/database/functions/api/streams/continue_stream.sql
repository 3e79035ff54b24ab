-- For an attempt that goes on with what earlier attempts of its stage wrote, instead of cutting it off. From here on the stream belongs to
-- this claim. Answers
--   applied     chunks is what is kept of this stage, and last_entry is what the next write comes after (write_streams);
--               null: the stream has not begun
--   lease_lost  this claim no longer holds the job
create or replace function lockstep.continue_stream(
  p_id uuid,
  p_claim_token uuid,
  p_name text,
  out answer text,
  out last_entry bigint,
  out chunks jsonb
)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_job record;
  v_stream lockstep.streams;
  v_section integer;
  v_start integer;
  v_end integer;    -- how many chunks were kept before a later stage wrote
  v_cut_bytes bigint;
begin
  if lockstep.stream_refusal(p_name, 1, 0, 0) is not null then
    raise exception '%', lockstep.stream_refusal(p_name, 1, 0, 0) using errcode = 'LS001';
  end if;
  if current_setting('synchronous_commit') = 'off' then
    perform set_config('synchronous_commit', 'on', true);
  end if;

  -- As in write_streams: nobody can take the job, or write to it, before this transaction ends.
  select j.added_at, j.stage_id into v_job
  from lockstep.jobs j
  where j.id = p_id and j.claim_token = p_claim_token
  for no key update;
  if not found then
    answer := 'lease_lost';
    return;
  end if;
  answer := 'applied';
  chunks := '[]';

  select s.* into v_stream
  from lockstep.streams s
  where s.job_id = p_id and s.name = p_name and s.job_added_at = v_job.added_at
  for update;
  if not found then
    return;
  end if;
  v_section := lockstep.section_of_stage(v_stream.stage_ids, v_job.stage_id);
  v_start := coalesce(v_stream.stage_starts[v_section], v_stream.chunks);

  if v_stream.claim_token <> p_claim_token then
    v_end := case
      when v_stream.stage_ids[v_section] = v_job.stage_id then coalesce(v_stream.stage_starts[v_section + 1], v_stream.chunks)
      else v_start
    end;
    with cut as (
      delete from lockstep.stream_chunks c
      where c.stream_id = v_stream.id and c.begun_at = v_stream.begun_at and c.first_seq > v_end
      returning c.bytes
    )
    select coalesce(sum(cut.bytes), 0) into v_cut_bytes from cut;
    update lockstep.streams s
    set claim_token = p_claim_token,
        mark = floor(random() * 2147483647),
        chunks = v_end,
        bytes = s.bytes - v_cut_bytes,
        stage_ids = s.stage_ids[: v_section - 1] || v_job.stage_id,
        stage_starts = s.stage_starts[: v_section - 1] || v_start
    where s.job_id = p_id and s.name = p_name;
  end if;

  last_entry := v_stream.last_entry;
  select coalesce(jsonb_agg(k.chunk order by c.entry, k.number), '[]') into chunks
  from lockstep.stream_chunks c
  cross join lateral jsonb_array_elements(c.chunks) with ordinality as k (chunk, number)
  where c.stream_id = v_stream.id and c.begun_at = v_stream.begun_at and c.first_seq > v_start;
end;
$$;
