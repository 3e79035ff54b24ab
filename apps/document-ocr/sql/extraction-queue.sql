-- The queue as the document that this app follows describes it (003 of docs/seeds.md), for its monitoring queries. Lockstep
-- keeps the jobs; nothing can be changed here.
--
-- status_id: 1 waits for extraction, 2 is being extracted, 3 waits for OCR, 4 is being read, 5 is done, 6 has failed, 7 was
-- cancelled. The document has 4 for failures too, which its own query for active workers would count as busy.
--
-- All documents that are under way, and the last thousand that have ended, so that a look costs the same after years.
create or replace function document_ocr.read_extraction_queue()
returns table (
  id uuid,
  source text,
  status_id integer,
  ocr_worker_id text,
  ocr_attempts integer,
  ocr_max_attempts integer,
  error_message text,
  ocr_error text,
  ocr_started_at timestamptz,
  created_at timestamptz,
  finished_at timestamptz
)
language plpgsql
stable
-- Whoever may call it sees the queue without being let into the schema lockstep.
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_live constant jsonb := '{"pipeline": "document-ocr", "statuses": ["scheduled", "pending", "processing", "retrying"]}';
  v_ended constant jsonb := '{"pipeline": "document-ocr", "statuses": ["completed", "failed", "cancelled"]}';
  v_pages_of_ended constant integer := 5;
  v_max_attempts integer;
  v_ids uuid[] := '{}';
  v_filter jsonb;
  v_after jsonb;
  v_page record;
begin
  foreach v_filter in array array[v_live, v_ended] loop
    v_after := null;
    for v_number in 1 .. case when v_filter = v_live then 100000 else v_pages_of_ended end loop
      select
        array_agg(l.id) filter (where l.id is not null) as ids,
        (array_agg(l.place))[count(*)] as last_place,
        count(*) as rows_read
      into v_page
      from lockstep.list_jobs(v_filter, '-id', v_after, false, 200) l;
      v_ids := v_ids || coalesce(v_page.ids, '{}');
      v_after := v_page.last_place;
      -- Fewer than asked for is the end, unless the last row only says where to go on.
      exit when v_page.rows_read = 0
        or (v_page.rows_read < 200 and cardinality(coalesce(v_page.ids, '{}')) = v_page.rows_read);
    end loop;
  end loop;

  select s."maxAttempts" into v_max_attempts
  from lockstep.describe_pipelines() p
  cross join lateral jsonb_to_recordset(p.stages) as s (name text, "maxAttempts" integer)
  where p.name = 'document-ocr' and s.name = 'ocr';

  return query
    select
      j.id,
      j.payload ->> 'source',
      case
        when j.status = 'completed' then 5
        when j.status = 'failed' then 6
        when j.status = 'cancelled' then 7
        when j.stage = 'extraction' then case when j.status = 'processing' then 2 else 1 end
        when j.status = 'processing' then 4
        else 3
      end,
      case when j.status = 'processing' and j.stage <> 'extraction' then coalesce(w.name, j.worker_id::text) end,
      a.ocr_attempts,
      v_max_attempts,
      a.error_message,
      a.ocr_error,
      a.ocr_started_at,
      j.added_at,
      j.finished_at
    from unnest(v_ids) as listed (id)
    cross join lateral lockstep.get_job(listed.id, false) j
    left join lockstep.active_workers() w on w.worker_id = j.worker_id
    -- Reading and cleaning are one step in the document: ocr and boost here.
    cross join lateral (
      select
        (count(*) filter (where t.stage = 'ocr'))::integer as ocr_attempts,
        (array_agg(t.error ->> 'message' order by t.number desc)
          filter (where t.stage = 'extraction' and t.error is not null))[1] as error_message,
        (array_agg(t.error ->> 'message' order by t.number desc)
          filter (where t.stage <> 'extraction' and t.error is not null))[1] as ocr_error,
        max(t."claimedAt") filter (where t.stage <> 'extraction') as ocr_started_at
      from rows from (
        jsonb_to_recordset(j.attempts) as (stage text, error jsonb, "claimedAt" timestamptz)
      ) with ordinality as t (stage, error, "claimedAt", number)
    ) a;
end;
$$;
revoke all on function document_ocr.read_extraction_queue() from public;

create or replace view document_ocr.extraction_queue as
  select * from document_ocr.read_extraction_queue();

-- Without a schema too, as the document's queries have it; not where a table of that name is somebody else's. Without the
-- right to call the function above nobody reads it, whatever rights on views a database gives away by itself.
do $$
begin
  if to_regclass('public.extraction_queue') is not null or to_regnamespace('public') is null then
    return;
  end if;
  if has_schema_privilege('public', 'create') then
    create view public.extraction_queue as select * from document_ocr.extraction_queue;
  end if;
end;
$$;
