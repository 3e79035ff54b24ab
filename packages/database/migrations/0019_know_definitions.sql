-- Every worker that starts defines its pipelines, nearly always as they are. To compare stage by stage took most of the time
-- that its start took of the server: by a hash of what was given last it is known at once.
alter table lockstep.pipelines add column if not exists definition_hash bytea;
