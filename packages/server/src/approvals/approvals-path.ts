/** Where approval links lead. */
export const approvalsPath = "/approvals/";
