#!/bin/sh
# A worker in shell: claims onboarding_analysis jobs over psql, one at a time, and completes them. No library of ours.
# usage: DATABASE_URL=postgres://… worker/onboarding.sh [how many jobs, default: until it is stopped]
set -eu
sql() { psql "$DATABASE_URL" -X -q -A -t -v ON_ERROR_STOP=1 "$@"; }
left=${1:-0}
while :; do
  job=$(echo "select id || ' ' || claim_token || ' ' || translate(encode(convert_to(metadata ->> 'text', 'UTF8'), 'base64'), E'\n', '')
    from daily_brief.claim_pending_jobs(array['onboarding_analysis'], 1)" | sql)
  if [ -z "$job" ]; then sleep 1; continue; fi
  # shellcheck disable=SC2086
  set -- $job
  words=$(printf %s "$3" | base64 -d | wc -w | tr -d ' ')
  if [ "$words" -eq 0 ]; then
    answer=$(echo "select daily_brief.fail_queue_job(:'id', 'There is nothing to read.', false, :'token')" |
      sql -v id="$1" -v token="$2")
  else
    answer=$(echo "select daily_brief.complete_queue_job(:'id', jsonb_build_object('words', :words), :'token')" |
      sql -v id="$1" -v token="$2" -v words="$words")
  fi
  echo "$1 $answer"
  left=$((left - 1))
  if [ "$left" -eq 0 ]; then exit 0; fi
done
