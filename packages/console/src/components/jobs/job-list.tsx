import { useMedia } from "../../shell/use-media.ts";
import { JobCards } from "./job-cards.tsx";
import { type JobListProps, JobTable } from "./job-table.tsx";

/** Jobs in a table, or on a narrow screen as cards. */
export function JobList(props: JobListProps) {
  return useMedia("(max-width: 61.99rem)") ? <JobCards {...props} /> : <JobTable {...props} />;
}
