import { addReport } from "./add-report";

export default function Page() {
  return (
    <form action={addReport}>
      <label>
        Month <input name="month" required maxLength={20} />
      </label>
      <button type="submit">Write the report</button>
    </form>
  );
}
