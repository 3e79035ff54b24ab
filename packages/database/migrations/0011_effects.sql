-- The ledger of once(key, fn): what handlers did outside the database, so that no later attempt does it again.
create table lockstep.effects (
  job_id uuid not null,                             -- the job whose handler runs the effect
  key text not null,                                -- what the handler calls the effect; unique within its job
  job_added_at timestamptz not null,                -- tells the job from a later one with the same id, which has effects of its own
  pipeline_id integer not null,                     -- where retention looks for the job among the finished ones
  looked_at timestamptz not null,                   -- when retention last found the job; until then, when the effect first started
  started_at timestamptz not null,                  -- when it was last started
  ended_at timestamptz,                             -- when the last start reported its end; null: it has not
  idempotency_key uuid not null,                    -- the same for every start: it follows from the job, the key and forgotten
  claim_token uuid not null,                        -- of the last start, which alone may report the end
  starts integer not null default 1,                -- how often it was started since it was last forgotten; 0: it is forgotten
  may_have_happened boolean not null default false, -- one of the starts did not report its end, or did not know it
  state text not null default 'started',            -- started, stopped (the last start ended without the effect) or done
  value jsonb,                                      -- what it returned; null: nothing
  spent jsonb,                                      -- what it has spent, by the names of budgets: counted once, as the effect is; null: nothing
  -- How often a person made the ledger forget it. Each time the idempotency key changes, since the next start is meant to run it again. A
  -- counter, not a random key: a server that has lost the last moments before a crash gives the same key again.
  forgotten integer not null default 0,
  primary key (job_id, key),
  constraint effect_state_is_known check (state in ('started', 'stopped', 'done')),
  constraint effect_key_has_1_to_255_bytes check (octet_length(key) between 1 and 255)
) with (fillfactor = 70); -- so that the update that ends an effect finds room on the same page

-- Retention follows this order: it looks at each effect once in a while, never at all of them at once.
create index effects_to_look_at on lockstep.effects (looked_at);
