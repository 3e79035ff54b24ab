-- A vacuum or an analyze makes every connection plan anew what touches the table. These tables are small and change all the
-- time, so that it came every minute, and a hundred idle workers each planned its look again. Their rows are updated in
-- place and their plans do not depend on statistics: both may wait until there is something to clean.

alter table lockstep.workers set (autovacuum_vacuum_threshold = 10000, autovacuum_analyze_threshold = 100000);
alter table lockstep.upkeep set (autovacuum_vacuum_threshold = 10000, autovacuum_analyze_threshold = 100000);
alter table lockstep.claimed_ranges set (autovacuum_analyze_threshold = 100000);
alter table lockstep.jobs set (autovacuum_analyze_threshold = 5000);
