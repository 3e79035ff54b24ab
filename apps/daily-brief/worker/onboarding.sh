#!/bin/sh
# A worker in shell: claims onboarding_analysis jobs over psql, one at a time, and completes them. No library of ours.
# usage: DATABASE_URL=postgres://… worker/onboarding.sh [how many jobs, default: until it is stopped]
set -eu
worker=$(cat /proc/sys/kernel/random/uuid 2>/dev/null || uuidgen)
sql() { psql "$DATABASE_URL" -X -q -A -t -v ON_ERROR_STOP=1 "$@"; }
left=${1:-0}
trap 'echo "select lockstep.deregister_worker(:'"'worker'"')" | sql -v worker="$worker" >/dev/null' EXIT
while :; do
  job=$(echo "select id || ' ' || claim_token || ' ' || translate(encode(convert_to(metadata ->> 'text', 'UTF8'), 'base64'), E'\n', '')
    from daily_brief.claim_pending_jobs(:'worker', array['onboarding_analysis'], 1)" | sql -v worker="$worker")
  if [ -z "$job" ]; then sleep 1; continue; fi
  # shellcheck disable=SC2086
  set -- $job
  words=$(printf %s "$3" | base64 -d | wc -w | tr -d ' ')
  if [ "$words" -eq 0 ]; then
    answer=$(echo "select daily_brief.fail_queue_job(:'id', :'token', 'There is nothing to read.', false)" |
      sql -v id="$1" -v token="$2")
  else
    answer=$(echo "select daily_brief.complete_queue_job(:'id', :'token', jsonb_build_object('words', :words))" |
      sql -v id="$1" -v token="$2" -v words="$words")
  fi
  echo "$1 $answer"
  left=$((left - 1))
  if [ "$left" -eq 0 ]; then exit 0; fi
done
