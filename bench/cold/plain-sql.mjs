import pg from "pg";
import { firstJob, run, told } from "./told.mjs";

const { handle } = firstJob();

await run({
  async add(connectionString, payload) {
    const client = new pg.Client({ connectionString });
    await client.connect();
    await client.query("insert into jobs (payload) values ($1)", [JSON.stringify(payload)]);
    told("added");
    await client.end();
  },
  async work(connectionString) {
    const client = new pg.Client({ connectionString });
    await client.connect();
    const { rows } = await client.query(`
      update jobs set claimed_at = clock_timestamp()
      where id = (select id from jobs where stage = 1 and claimed_at is null order by id limit 1 for update skip locked)
      returning id, payload`);
    handle();
    await client.query("delete from jobs where id = $1", [rows[0].id]);
    await client.end();
  },
});
