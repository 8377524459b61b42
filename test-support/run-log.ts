import pg from "pg";

/** The table in which processes record when their runs begin and end, ordered by its numbers. */
export const LOG_TABLE = "create table log (number serial, pid integer, word text)";

/** Records runs in the log. */
export function openLog(url: string): { run: (pid: number) => Promise<void>; close: () => Promise<void> } {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const write = (pid: number, word: string): Promise<unknown> =>
    pool.query("insert into log (pid, word) values ($1, $2)", [pid, word]);
  return {
    run: async (pid) => {
      await write(pid, "begin");
      await write(pid, "end");
    },
    close: () => pool.end(),
  };
}
