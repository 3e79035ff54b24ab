-- What forms and other processes check a payload by: a JSON Schema; null where the validator gives none.
alter table lockstep.pipelines add column if not exists payload_schema jsonb;
