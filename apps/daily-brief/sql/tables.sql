-- What the app itself knows. Applied at each start; every statement may run again.
create schema if not exists daily_brief;

create table if not exists daily_brief.people (
  id text primary key check (id ~ '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,79}$'),
  -- Short enough to stand whole in a subject and an SMS.
  name text not null check (char_length(name) between 1 and 80),
  -- One recipient on one line, no matter who wrote it.
  email text check (email ~ '^[^\s@,;<>]+@[^\s@,;<>]+$'),
  -- A confirmed one: until then a number stands in phone_confirmations, where no brief goes.
  phone text check (phone ~ '^\+[0-9]{6,15}$'),
  time_zone text not null default 'UTC',
  brief_at time not null default '07:00',
  wants_email boolean not null default true,
  wants_sms boolean not null default false
);

create table if not exists daily_brief.projects (
  id text primary key,
  person_id text not null references daily_brief.people (id) on delete cascade,
  name text not null,
  summary text not null default ''
);
create index if not exists projects_of_person on daily_brief.projects (person_id);

create table if not exists daily_brief.tasks (
  id bigint generated always as identity primary key,
  project_id text not null references daily_brief.projects (id) on delete cascade,
  title text not null,
  due_on date,
  is_done boolean not null default false
);
create index if not exists tasks_of_project on daily_brief.tasks (project_id);

create table if not exists daily_brief.phases (
  project_id text not null references daily_brief.projects (id) on delete cascade,
  position integer not null,
  name text not null,
  tasks jsonb not null,
  primary key (project_id, position)
);

create table if not exists daily_brief.profiles (
  person_id text primary key references daily_brief.people (id) on delete cascade,
  summary text not null,
  interests jsonb not null
);

create table if not exists daily_brief.briefs (
  id uuid primary key default gen_random_uuid(),
  person_id text not null references daily_brief.people (id) on delete cascade,
  brief_date date not null,
  time_zone text not null,
  headline text not null,
  summary text not null,
  focus jsonb not null,
  written_by text not null,
  created_at timestamptz not null default now(),
  constraint one_brief_per_person_and_day unique (person_id, brief_date)
);

-- What goes out, went out or may have: the outbox that the page shows. A day is one of the database's clock.
create table if not exists daily_brief.messages (
  job_id uuid primary key,
  kind text not null check (kind in ('email', 'sms')),
  person_id text not null references daily_brief.people (id) on delete cascade,
  recipient text not null,
  subject text,
  body text not null,
  tracking_id text not null,
  state text not null check (state in ('sending', 'sent', 'kept', 'in_doubt')),
  provider_id text,
  begun_on date not null default current_date,
  begun_at timestamptz not null default now()
);
create index if not exists messages_of_person on daily_brief.messages (person_id, kind, begun_on);

-- What people are told. Those that nobody has read stay.
create table if not exists daily_brief.notifications (
  id bigint generated always as identity primary key,
  person_id text not null references daily_brief.people (id) on delete cascade,
  event text not null check (event in ('brief_completed', 'brief_email_sent', 'phases_completed', 'brief_failed')),
  payload jsonb not null,
  text text not null,
  job_id uuid not null,
  happened_at timestamptz not null,
  read_at timestamptz,
  -- The log may be read twice, and a job may fail twice.
  unique (job_id, event, happened_at)
);
create index if not exists notifications_of_person on daily_brief.notifications (person_id, id);

-- Up to where the log of the jobs was read for them: one row.
create table if not exists daily_brief.notified_until (
  is_only boolean primary key default true check (is_only),
  cursor text not null
);
insert into daily_brief.notified_until (cursor) values ('start') on conflict do nothing;

-- One person for one address, by which they sign in.
create unique index if not exists people_by_email on daily_brief.people (lower(email));

-- Of links and sessions only a hash is kept: who reads these tables cannot sign in with what they find.
create table if not exists daily_brief.sign_in_links (
  token_hash bytea primary key,
  person_id text not null references daily_brief.people (id) on delete cascade,
  expires_at timestamptz not null
);
create index if not exists sign_in_links_of_person on daily_brief.sign_in_links (person_id);

create table if not exists daily_brief.sessions (
  token_hash bytea primary key,
  person_id text not null references daily_brief.people (id) on delete cascade,
  expires_at timestamptz not null
);
create index if not exists sessions_of_person on daily_brief.sessions (person_id);

-- Whether the bell tells that a brief is ready. Without this channel and the two others no brief comes by itself.
alter table daily_brief.people add column if not exists wants_page boolean not null default true;

-- Who has asked to register: one row a link. There is no person before somebody has followed it.
create table if not exists daily_brief.registrations (
  token_hash bytea primary key,
  email text not null check (email ~ '^[^\s@,;<>]+@[^\s@,;<>]+$'),
  name text not null check (char_length(name) between 1 and 80),
  time_zone text not null,
  expires_at timestamptz not null
);
create index if not exists registrations_by_email on daily_brief.registrations (lower(email));

-- Numbers that wait for their code, and for a day those that did: they are counted. Of a code a salted hash is kept.
create table if not exists daily_brief.phone_confirmations (
  id uuid primary key default gen_random_uuid(),
  person_id text not null references daily_brief.people (id) on delete cascade,
  phone text not null check (phone ~ '^\+[0-9]{6,15}$'),
  asked_at timestamptz not null default now(),
  code_salt bytea,
  code_hash bytea,
  code_expires_at timestamptz,
  tries integer not null default 0,
  ended_at timestamptz
);
create index if not exists phone_confirmations_of_person on daily_brief.phone_confirmations (person_id, asked_at);
create index if not exists phone_confirmations_of_phone on daily_brief.phone_confirmations (phone, asked_at);
