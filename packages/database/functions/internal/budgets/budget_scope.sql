-- Whose share of a budget a job spends. A branch spends what its parent's pipeline has. Plain SQL without settings, so that PostgreSQL
-- inlines it.
create or replace function lockstep.budget_scope(p_per text, p_pipeline_id integer, p_owner text, p_group_key text)
returns text
language sql
stable
as $$
  select case p_per
    when 'owner' then coalesce(p_owner, '')
    when 'group' then coalesce(p_group_key, '')
    when 'pipeline' then (
      select coalesce(parent.name, p.name)
      from lockstep.pipelines p
      left join lockstep.pipelines parent on parent.id = p.branch_of
      where p.id = p_pipeline_id
    )
    else ''
  end;
$$;
