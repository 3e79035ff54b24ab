-- A few people and projects to look at. What is there already stays.
insert into daily_brief.people (id, name, email, phone, time_zone, brief_at, wants_sms)
values
  ('ada', 'Ada', 'ada@example.com', '+15550101', 'Europe/London', '07:00', true),
  ('grace', 'Grace', 'grace@example.com', null, 'America/New_York', '06:30', false),
  ('kateryna', 'Kateryna', 'kateryna@example.com', '+15550103', 'Asia/Kolkata', '08:15', true)
on conflict (id) do nothing;

with added as (
  insert into daily_brief.projects (id, person_id, name, summary)
  values
    ('engine', 'ada', 'Analytical engine', 'A machine that weaves algebraic patterns.'),
    ('compiler', 'grace', 'Compiler', 'Programs in words rather than numbers.'),
    ('library', 'kateryna', 'Reading room', 'A library for the neighbourhood.')
  on conflict (id) do nothing
  returning id
)
insert into daily_brief.tasks (project_id, title, due_on)
select id, title, current_date + days
from added, lateral (values ('Write down the goal', 0), ('Ask three people', 1), ('Make a first plan', 3), ('Try it out', 7))
  as task (title, days);
