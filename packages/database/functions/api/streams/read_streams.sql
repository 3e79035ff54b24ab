-- What is new in many streams: for each, by its number in the arrays, what comes after a cursor. A cursor is ENTRY.MARK of the last chunk that
-- the reader has had; null: it has had nothing. The chunk at place 1 of a row has the entry and seq of the row, the next one each one more.
--   chunks  chunks, in order
--   rewind  the first row, if what the reader has had was cut off: only its first seq chunks are left. The cursor is now entry and mark
--           of this row; null: the reader has had nothing
--   more    the last row, if there is more to read now
--   over    the last row, if everything is read and the job has ended, so that nothing will follow
-- A stream has one writer at a time, which never uses an entry twice, so that a reader whose chunk is still there has all before it. If
-- the chunk is not there, an attempt has cut it off, and the chunks after it say how far. Where they do not, because PostgreSQL has
-- lost what the reader has had, or the stream has begun anew, the reader begins anew as well.
create or replace function lockstep.read_streams(
  p_ids uuid[],
  p_names text[],
  p_cursors text[],
  p_limit integer default 100
)
returns table (number integer, kind text, entry bigint, mark integer, seq integer, chunks jsonb)
language sql
-- one snapshot for all: if the job has ended in it, all that its last attempt wrote is in it too
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
  with asked as materialized (
    select
      a.number, a.id, a.name, a.cursor is not null as has_cursor,
      case when a.cursor ~ '^[0-9]{1,18}\.[0-9]{1,10}$' then split_part(a.cursor, '.', 1)::bigint end as entry,
      case when a.cursor ~ '^[0-9]{1,18}\.[0-9]{1,10}$' then split_part(a.cursor, '.', 2)::bigint end as mark
    from unnest(p_ids, p_names, p_cursors) with ordinality as a (id, name, cursor, number)
  ),
  found as materialized (
    select
      a.number, a.has_cursor, a.entry, a.mark, j.id is not null as is_live,
      s.id as stream_id, s.begun_at, s.last_entry,
      s.id is not null and (a.entry is distinct from s.last_entry or a.mark is distinct from s.mark) as has_news
    from asked a
    left join lockstep.jobs j on j.id = a.id
    left join lockstep.streams s on s.job_id = a.id and s.name = a.name and (
      s.job_added_at = j.added_at
      or j.id is null and exists (
        select from lockstep.finished_jobs f
        where f.pipeline_id = s.pipeline_id and f.id = a.id and f.added_at = s.job_added_at
      )
    )
  ),
  placed as materialized (
    select
      f.number, f.has_cursor, f.entry, f.mark, f.is_live, f.stream_id, f.begun_at, f.has_news,
      coalesce(p.is_there, false) as is_there,
      case
        when not f.has_cursor or not f.has_news or p.is_there then null
        -- Another chunk is in its place, or the stream has not come that far: the reader has had what nobody has any more.
        when p.is_taken or f.entry > f.last_entry or f.entry is null then 0
        else coalesce(
          (
            select min(c.rewind_to)
            from lockstep.stream_chunks c
            where c.stream_id = f.stream_id and c.begun_at = f.begun_at and c.entry > f.entry
          ),
          0
        )
      end as rewind_to
    from found f
    left join lateral (
      select
        c.entry + jsonb_array_length(c.chunks) > f.entry as is_taken,
        c.entry + jsonb_array_length(c.chunks) > f.entry and c.mark = f.mark as is_there
      from lockstep.stream_chunks c
      where f.has_news and c.stream_id = f.stream_id and c.begun_at = f.begun_at and c.entry <= f.entry
      order by c.entry desc
      limit 1
    ) p on true
  ),
  -- Where each goes on: after its chunk, or after the last chunk that is left.
  begun as materialized (
    select
      p.number, p.has_cursor, p.is_live, p.stream_id, p.begun_at, p.has_news, p.rewind_to,
      case when p.is_there then p.entry else k.entry end as entry,
      k.mark
    from placed p
    left join lateral (
      select c.entry + jsonb_array_length(c.chunks) - 1 as entry, c.mark
      from lockstep.stream_chunks c
      where c.stream_id = p.stream_id and c.begun_at = p.begun_at and c.first_seq <= p.rewind_to
      order by c.entry desc
      limit 1
    ) k on p.rewind_to > 0
  ),
  pieces as materialized (
    select
      b.number, n.*,
      -- a page has about a megabyte
      coalesce(
        sum(n.bytes) over (partition by b.number order by n.entry rows between unbounded preceding and 1 preceding), 0
      ) < 1048576 as fits
    from begun b
    cross join lateral (
      select c.entry, c.mark, c.first_seq, c.bytes, c.chunks, greatest(0, b.entry - c.entry + 1) as had
      from lockstep.stream_chunks c
      where b.has_news and c.stream_id = b.stream_id and c.begun_at = b.begun_at
        and c.entry >= coalesce(
          (
            select l.entry
            from lockstep.stream_chunks l
            where l.stream_id = b.stream_id and l.begun_at = b.begun_at and l.entry <= b.entry
            order by l.entry desc
            limit 1
          ),
          0
        )
        and c.entry + jsonb_array_length(c.chunks) - 1 > coalesce(b.entry, 0)
      order by c.entry
      limit least(1000, greatest(1, p_limit)) + 1
    ) n
  ),
  page as materialized (
    select
      p.number, p.entry + p.had as entry, p.mark, (p.first_seq + p.had)::integer as seq,
      case
        when p.had = 0 then p.chunks
        else jsonb_path_query_array(p.chunks, '$[$from to last]', jsonb_build_object('from', p.had))
      end as chunks,
      p.fits and row_number() over (partition by p.number order by p.entry) <= least(1000, greatest(1, p_limit)) as fits
    from pieces p
  )
  select r.number::integer, r.kind, r.entry, r.mark, r.seq, r.chunks
  from (
    select b.number, 'rewind' as kind, 1 as place, b.entry, b.mark, b.rewind_to as seq, null::jsonb as chunks
    from begun b
    where b.rewind_to is not null
    union all
    select p.number, 'chunks', 2, p.entry, p.mark, p.seq, p.chunks from page p where p.fits
    union all
    select b.number, case when m.has_more then 'more' else 'over' end, 3, null, null, null, null
    from begun b
    cross join lateral (select coalesce(bool_or(not p.fits), false) as has_more from page p where p.number = b.number) m
    where m.has_more or not b.is_live
  ) r
  order by r.number, r.place, r.entry;
$$;
