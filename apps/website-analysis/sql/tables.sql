create schema if not exists website_analysis;

-- When each host may be asked next, for all workers together.
create table if not exists website_analysis.host_turns (
  host text primary key,
  free_at timestamptz not null,    -- while somebody asks the host: when that turn is over even if nobody ends it
  held_by uuid                     -- the turn of whoever asks the host now; null: nobody does
);
alter table website_analysis.host_turns add column if not exists held_by uuid;
create index if not exists host_turns_by_time on website_analysis.host_turns (free_at);

-- Signs the visitors' cookies and tokens if no secret is set; made once, the same for all processes and after a restart.
create table if not exists website_analysis.secrets (
  is_only boolean primary key default true check (is_only),
  secret text not null
);

-- What visitors have asked for: the addresses for their history, the times for their limits.
create table if not exists website_analysis.analyses (
  id uuid primary key,
  visitor text not null,
  url text not null,
  requested_at timestamptz not null default now()
);
create index if not exists analyses_by_visitor on website_analysis.analyses (visitor, requested_at);

-- Links that show one report to whoever has them; a link that is taken back is deleted.
create table if not exists website_analysis.shares (
  token text primary key,
  analysis_id uuid not null unique,
  visitor text not null,
  created_at timestamptz not null default now()
)
