-- A few people and projects to look at, where there is nobody yet.
with people as (
  insert into daily_brief.people (id, name, email, phone, time_zone, brief_at, wants_sms)
  select *
  from (values
    ('ada00000-0000-4000-8000-000000000001', 'Ada Lovelace', 'ada@example.com', '+15550101', 'Europe/London', time '07:00', true),
    ('face0000-0000-4000-8000-000000000002', 'Grace Hopper', 'grace@example.com', null, 'America/New_York', time '06:30', false),
    ('ca7e0000-0000-4000-8000-000000000003', 'Kateryna Yushchenko', 'kateryna@example.com', '+15550103', 'Asia/Kolkata', time '08:15', true)
  ) as example
  where not exists (select from daily_brief.people)
  on conflict (id) do nothing
  returning id
), projects as (
  insert into daily_brief.projects (id, person_id, name, summary)
  select project.*
  from (values
    ('engine', 'ada00000-0000-4000-8000-000000000001', 'Analytical engine', 'A machine that weaves algebraic patterns.'),
    ('compiler', 'face0000-0000-4000-8000-000000000002', 'Compiler', 'Programs in words rather than numbers.'),
    ('library', 'ca7e0000-0000-4000-8000-000000000003', 'Reading room', 'A library for the neighbourhood.')
  ) as project (id, person_id, name, summary)
  join people on people.id = project.person_id
  on conflict (id) do nothing
  returning id
)
insert into daily_brief.tasks (project_id, title, due_on)
select id, title, current_date + days
from projects, (values ('Write down the goal', 0), ('Ask three people', 1), ('Make a first plan', 3), ('Try it out', 7))
  as task (title, days);
