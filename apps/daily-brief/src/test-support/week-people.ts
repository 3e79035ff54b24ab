const timeZones = [
  ...["Europe/Berlin", "Australia/Sydney", "Pacific/Auckland", "Europe/London", "America/New_York"],
  ...[
    "America/Los_Angeles",
    "Asia/Kolkata",
    "Asia/Tokyo",
    "America/Sao_Paulo",
    "Africa/Nairobi",
    "Asia/Dubai",
  ],
  "UTC",
];
// Among them the half hours that are left out in Berlin and London, and shown twice in Sydney and Auckland.
const times = ["02:30", "01:30", "07:00", "06:30", "02:00", "23:30", "00:00"];

/** So many people, in twelve time zones and at seven times of day; every third wants SMS too. */
export function weekPeople(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    id: `p${index}`,
    timeZone: timeZones[index % timeZones.length] ?? "UTC",
    briefAt: times[Math.floor(index / timeZones.length) % times.length] ?? "07:00",
    wantsSms: index % 3 === 0,
    phone: `+1555${String(index).padStart(7, "0")}`,
  }));
}
