/** For attempts that spend nothing. */
export const noBudgets = {
  spend: () => Promise.reject(new Error("Nothing is spent here.")),
  reserve: () => Promise.reject(new Error("Nothing is reserved here.")),
};
