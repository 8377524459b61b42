import { Failure } from "../../parts/failure.js";
import { Loading } from "../../parts/loading.js";
import { formatCount } from "../../parts/number-texts.js";
import { useRead } from "../../server/use-read.js";
import { Bytes, Figures } from "../../parts/charts/figures.js";

/** The tables with their sizes, by the catalog. */
export function TablesSection() {
  const { data, error, refetch } = useRead("tables", {});
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading what="the sizes of the tables" />;
  return (
    <section>
      <h2>Tables</h2>
      <Figures caption="Sizes of the tables" columns={["Table", "Rows, about", "Rows use", "Indexes use"]}>
        {data.tables.map(({ table, rows, tableBytes, indexBytes }) => (
          <tr key={table}>
            <th scope="row" class="mono">
              {table}
            </th>
            <td>{formatCount(Math.round(rows))}</td>
            <td>
              <Bytes bytes={tableBytes} />
            </td>
            <td>
              <Bytes bytes={indexBytes} />
            </td>
          </tr>
        ))}
      </Figures>
    </section>
  );
}
