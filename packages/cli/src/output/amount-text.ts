/** An amount for people, "12,500 tokens"; for programs the number alone. */
export function amountText(amount: number, unit: string | null, isForPeople: boolean): string {
  if (!isForPeople) return String(amount);
  const number = amount.toLocaleString("en-US", { maximumFractionDigits: 6 });
  return unit === null ? number : `${number} ${unit}`;
}
