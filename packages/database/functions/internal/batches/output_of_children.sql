-- What the children of a finished batch return to the stage that fanned out: an object with the names of the branches, or what the only
-- child returned. By the policy of each: with fail its result; with continue {"id", "status", "result", "error"}; with ignore its result
-- if it completed, otherwise its name is left out (an only child returns null).
-- error is why there is no output.
create or replace function lockstep.output_of_children(p_batch lockstep.batches, out output jsonb, out error jsonb)
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_missing jsonb;
begin
  select
    case p_batch.returns
      when 'child' then (jsonb_agg(c.value))[0]
      else coalesce(jsonb_object_agg(c.name, c.value) filter (where c.is_shown and c.name is not null), '{}')
    end,
    (jsonb_agg(c.branch) filter (where c.is_missing))[0]
  into output, v_missing
  from (
    select
      b.branch,
      b.branch ->> 'name' as name,
      f.id is null as is_missing,
      b.branch ->> 'onFailure' <> 'ignore' or f.status = 'completed' as is_shown,
      case
        when b.branch ->> 'onFailure' = 'continue' then
          jsonb_build_object('id', f.id, 'status', f.status, 'result', f.result, 'error', f.error)
        else coalesce(f.result, 'null')
      end as value
    from jsonb_array_elements(p_batch.branches) as b (branch)
    left join lockstep.finished_jobs f on f.batch_id = p_batch.id and f.id = (b.branch ->> 'jobId')::uuid
  ) c;

  if v_missing is not null then
    output := null;
    error := jsonb_build_object('name', 'ResultsMissingError', 'code', 'results_missing', 'message', format(
      'Child %s has ended, but its result is past its retention. Let finished jobs be kept longer than their parents wait for the last child.',
      v_missing ->> 'jobId'
    ));
  elsif octet_length(output::text) > 1048576 then
    error := jsonb_build_object('name', 'InvalidOutputError', 'code', 'invalid_output', 'message', format(
      'The results of its children have %s bytes together, but the limit of an output is 1048576 (1 MiB). Store large results elsewhere and return references to them.',
      octet_length(output::text)
    ));
    output := null;
  end if;
end;
$$;
