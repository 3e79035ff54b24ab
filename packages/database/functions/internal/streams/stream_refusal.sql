-- Why a write does not fit into a stream; null: it does.
create or replace function lockstep.stream_refusal(p_name text, p_chunks integer, p_longest integer, p_bytes bigint)
returns text
language sql
immutable
as $$
  select case
    when p_name is null or p_name !~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$'
      then format(
        'A stream cannot be named "%s": a name has 1 to 100 letters, digits, "_", ".", ":" or "-", and begins with a letter or digit.',
        left(p_name, 100)
      )
    when p_chunks is null or p_chunks not between 1 and 1000
      then format('A write to stream "%s" must have an array of 1 to 1000 chunks.', p_name)
    when p_longest > 65536
      then format('A chunk of stream "%s" has %s bytes, but the limit is 65536 (64 KiB).', p_name, p_longest)
    when p_bytes > 262144
      then format('A write to stream "%s" has %s bytes, but the limit is 262144 (256 KiB).', p_name, p_bytes)
  end;
$$;
