-- Writes chunks to the streams of running jobs, many jobs in one call. p_writes is an array of
--   {"id", "token", "name", "after", "rewind", "chunks"}
-- "after" is the last_entry that the previous write of this claim returned, or continue_stream. Null: this is the first write of the
-- claim, which cuts off what earlier attempts of the same stage wrote. With "rewind", what this attempt wrote is cut off too.
-- Returns a row for each, by its number in the array, with the last_entry that the stream has now:
--   applied          it is written, and durable when this transaction commits
--   already_applied  it was written before: the reply to an earlier call was lost
--   lease_lost       the claim no longer holds the job; nothing is written
--   busy             another transaction has locked the job; send it again later
--   too_fast         the rate of the stream is used up; send it again after the milliseconds in detail
--   refused          it does not fit, and detail says why
--   out_of_step      last_entry is not "after": PostgreSQL has lost what this claim wrote, or two write under one claim
create or replace function lockstep.write_streams(
  p_writes jsonb,
  p_now timestamptz default clock_timestamp()
)
returns table (number integer, answer text, last_entry bigint, detail text)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_locked bigint[];
  v_write record;
  v_job record;
  v_stream lockstep.streams;
  v_has_stream boolean;
  v_is_first boolean;
  v_section integer;    -- where this stage is among those that wrote
  v_start integer;      -- how many chunks were kept before the first one of this stage
  v_rewind_to integer;
  v_freed bigint;
begin
  -- Readers see what is committed, so it must survive a crash of the server.
  if current_setting('synchronous_commit') = 'off' then
    perform set_config('synchronous_commit', 'on', true);
  end if;

  -- Whoever takes a job from its holder, or ends it, has to wait for this lock, and so has a second writer to the same job. A job that
  -- somebody else has locked is left out, since all others would wait with it.
  v_locked := array(
    select g.number
    from (
      select g.number, j.id
      from rows from (jsonb_to_recordset(p_writes) as (id uuid, token uuid)) with ordinality as g (id, token, number)
      join lockstep.jobs j on j.id = g.id and j.claim_token = g.token
      order by j.id
      for no key update of j skip locked
    ) g
  );

  for v_write in
    select
      g.number, g.id, g.token, g.name, g.after, coalesce(g.rewind, false) as rewind, g.chunks,
      case when jsonb_typeof(g.chunks) = 'array' then jsonb_array_length(g.chunks) end as length,
      s.bytes, s.longest
    from rows from (
      jsonb_to_recordset(p_writes) as (id uuid, token uuid, name text, after bigint, rewind boolean, chunks jsonb)
    ) with ordinality as g (id, token, name, after, rewind, chunks, number)
    cross join lateral (
      -- many small chunks take more room than their texts
      select sum(octet_length(c::text) + 16) as bytes, max(octet_length(c::text)) as longest
      from jsonb_array_elements(case when jsonb_typeof(g.chunks) = 'array' then g.chunks end) c
    ) s
    order by g.id, g.name, g.number
  loop
    number := v_write.number;
    last_entry := null;
    detail := null;
    v_rewind_to := null;
    v_freed := 0;

    if v_write.number <> all (v_locked) then
      answer := case
        when exists (select from lockstep.jobs j where j.id = v_write.id and j.claim_token = v_write.token) then 'busy'
        else 'lease_lost'
      end;
      return next;
      continue;
    end if;
    detail := lockstep.stream_refusal(v_write.name, v_write.length, v_write.longest, v_write.bytes);
    if detail is not null then
      answer := 'refused';
      return next;
      continue;
    end if;

    select j.added_at, j.pipeline_id, j.stage_id into v_job from lockstep.jobs j where j.id = v_write.id;
    select s.* into v_stream
    from lockstep.streams s
    where s.job_id = v_write.id and s.name = v_write.name
    for update;    -- against retention, which may be about to delete it
    -- An earlier job with the same id may have left one.
    v_has_stream := found and v_stream.job_added_at = v_job.added_at;
    v_is_first := not v_has_stream or v_stream.claim_token <> v_write.token;
    last_entry := case when v_has_stream then v_stream.last_entry end;
    if not v_is_first and (v_write.after is null or v_stream.last_entry = v_write.after + v_write.length) then
      answer := 'already_applied';
      return next;
      continue;
    end if;
    if v_write.after is distinct from (case when not v_is_first then v_stream.last_entry end) then
      answer := 'out_of_step';
      return next;
      continue;
    end if;

    if not v_has_stream then
      v_stream := null;
      v_stream.id := nextval('lockstep.stream_ids');
      v_stream.begun_at := p_now;
      v_stream.last_entry := 0;
      v_stream.chunks := 0;
      v_stream.bytes := 0;
      v_stream.stage_ids := '{}';
      v_stream.stage_starts := '{}';
    end if;

    -- What is cut off: what earlier attempts of this stage wrote, and what later stages wrote before the job came back to this one.
    v_section := lockstep.section_of_stage(v_stream.stage_ids, v_job.stage_id);
    v_start := coalesce(v_stream.stage_starts[v_section], v_stream.chunks);
    if (v_is_first or v_write.rewind) and v_stream.chunks > v_start then
      v_rewind_to := v_start;
      select coalesce(sum(c.bytes), 0) into v_freed
      from lockstep.stream_chunks c
      where c.stream_id = v_stream.id and c.begun_at = v_stream.begun_at and c.first_seq > v_start;
    end if;

    select case
      when not v_has_stream and count(*) filter (where s.name <> v_write.name) >= 16
        then format('Job %s has 16 streams, and may have no more.', v_write.id)
      when coalesce(sum(s.bytes), 0) - v_freed + v_write.bytes > 8388608
        then format('The streams of job %s would take more than 8 MiB, the most that is kept for one job.', v_write.id)
    end
    into detail
    from lockstep.streams s
    where s.job_id = v_write.id and s.job_added_at = v_job.added_at;
    if detail is not null then
      answer := 'refused';
      return next;
      continue;
    end if;

    -- At most 2 MiB in ten seconds. A clock that was set back begins a new window.
    if v_has_stream and p_now >= v_stream.window_at and p_now < v_stream.window_at + interval '10 seconds' then
      if v_stream.window_bytes + v_write.bytes > 2097152 then
        answer := 'too_fast';
        detail := ceil(date_part('epoch', v_stream.window_at + interval '10 seconds' - p_now) * 1000);
        return next;
        continue;
      end if;
    else
      v_stream.window_at := p_now;
      v_stream.window_bytes := 0;
    end if;

    if v_rewind_to is not null then
      delete from lockstep.stream_chunks c
      where c.stream_id = v_stream.id and c.begun_at = v_stream.begun_at and c.first_seq > v_rewind_to;
      v_stream.chunks := v_rewind_to;
      v_stream.bytes := v_stream.bytes - v_freed;
    end if;
    if v_is_first then
      v_stream.mark := floor(random() * 2147483647);
      v_stream.stage_ids := v_stream.stage_ids[: v_section - 1] || v_job.stage_id;
      v_stream.stage_starts := v_stream.stage_starts[: v_section - 1] || v_start;
    end if;

    insert into lockstep.stream_chunks (begun_at, stream_id, entry, mark, first_seq, rewind_to, bytes, chunks)
    values (
      v_stream.begun_at, v_stream.id, v_stream.last_entry + 1, v_stream.mark, v_stream.chunks + 1, v_rewind_to, v_write.bytes, v_write.chunks
    );
    insert into lockstep.streams as s (
      job_id, name, id, job_added_at, pipeline_id, begun_at, written_at, claim_token, mark,
      last_entry, chunks, bytes, stage_ids, stage_starts, window_at, window_bytes
    )
    values (
      v_write.id, v_write.name, v_stream.id, v_job.added_at, v_job.pipeline_id, v_stream.begun_at, p_now, v_write.token, v_stream.mark,
      v_stream.last_entry + v_write.length, v_stream.chunks + v_write.length, v_stream.bytes + v_write.bytes,
      v_stream.stage_ids, v_stream.stage_starts, v_stream.window_at, v_stream.window_bytes + v_write.bytes
    )
    on conflict (job_id, name) do update
    set id = excluded.id,
        job_added_at = excluded.job_added_at,
        pipeline_id = excluded.pipeline_id,
        begun_at = excluded.begun_at,
        written_at = excluded.written_at,
        claim_token = excluded.claim_token,
        mark = excluded.mark,
        last_entry = excluded.last_entry,
        chunks = excluded.chunks,
        bytes = excluded.bytes,
        stage_ids = excluded.stage_ids,
        stage_starts = excluded.stage_starts,
        window_at = excluded.window_at,
        window_bytes = excluded.window_bytes
    returning s.last_entry into last_entry;
    answer := 'applied';
    return next;
  end loop;
end;
$$;
