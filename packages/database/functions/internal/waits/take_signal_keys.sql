-- Gives these live jobs their signal keys, in the order of the keys, so that two calls wait for each other and do not deadlock. A key that
-- another live job of the same pipeline has is refused; the key of a finished job is taken over.
create or replace function lockstep.take_signal_keys(p_ids uuid[], p_keys text[], p_now timestamptz)
returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_given record;
  v_holder record;
begin
  for v_given in
    select g.key, j.id, j.added_at, j.pipeline_id, p.name as pipeline
    from unnest(p_ids, p_keys) as g (id, key)
    join lockstep.jobs j on j.id = g.id
    join lockstep.pipelines p on p.id = j.pipeline_id
    order by j.pipeline_id, g.key collate "C", j.id
  loop
    if coalesce(octet_length(v_given.key), 0) not between 1 and 255 then
      raise exception 'The signal key of job % has % bytes, but must have 1 to 255.', v_given.id, coalesce(octet_length(v_given.key), 0)
        using errcode = 'LS001';
    end if;
    loop
      insert into lockstep.signal_keys as k (pipeline_id, key, job_id, job_added_at, looked_at)
      values (v_given.pipeline_id, v_given.key, v_given.id, v_given.added_at, p_now)
      on conflict (pipeline_id, key) do nothing;
      exit when found;

      -- Statements of their own, so that they see what whoever had the key has committed. The row may be deleted before it is locked.
      select k.job_id, k.job_added_at into v_holder
      from lockstep.signal_keys k
      where k.pipeline_id = v_given.pipeline_id and k.key = v_given.key
      for update;
      continue when not found;
      if v_holder.job_id <> v_given.id
        and exists (select from lockstep.jobs j where j.id = v_holder.job_id and j.added_at = v_holder.job_added_at)
      then
        raise exception 'Signal key "%" of pipeline "%" belongs to job %, which is live.', v_given.key, v_given.pipeline, v_holder.job_id
          using errcode = 'LS003', hint = 'A key belongs to one job until that has finished. Choose another one, or end that job first.';
      end if;
      update lockstep.signal_keys k
      set job_id = v_given.id, job_added_at = v_given.added_at, looked_at = p_now
      where k.pipeline_id = v_given.pipeline_id and k.key = v_given.key;
      exit;
    end loop;
  end loop;
end;
$$;
