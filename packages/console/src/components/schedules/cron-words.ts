const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const shortDays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/** The common patterns in words; of others, the pattern itself says it best. */
export function cronInWords(cron: string): string {
  const fields = cron.trim().toLowerCase().split(/\s+/);
  const withSeconds = fields.length === 6;
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = withSeconds ? fields.slice(1) : fields;
  if ((withSeconds && fields[0] !== "0") || month !== "*") return cron;
  const time = timeOf(minute, hour);
  if (time === null) return cron;
  if (day === "*" && weekday === "*") return hour === "*" ? time : `Every day at ${time}`;
  if (hour === "*") return cron;
  if (day === "*") {
    const named = weekdayWords(weekday);
    return named === null ? cron : `${named} at ${time}`;
  }
  return /^\d+$/.test(day) && weekday === "*" ? `On day ${day} of each month at ${time}` : cron;
}

function timeOf(minute: string, hour: string): string | null {
  if (hour === "*") {
    if (minute === "*") return "Every minute";
    const every = /^\*\/(\d+)$/.exec(minute)?.[1];
    if (every !== undefined) return `Every ${every} minutes`;
    return /^\d+$/.test(minute) ? `Every hour at minute ${minute}` : null;
  }
  if (!/^\d+$/.test(minute) || !/^\d+$/.test(hour)) return null;
  return `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
}

function weekdayWords(field: string): string | null {
  if (/^(1-5|mon-fri)$/.test(field)) return "Monday to Friday";
  const names = field
    .split(",")
    .map((each) => days[/^\d$/.test(each) ? Number(each) % 7 : shortDays.indexOf(each)]);
  return names.includes(undefined) ? null : names.join(", ");
}
