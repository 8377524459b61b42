import { Failure } from "../../parts/failure.js";
import { Loading } from "../../parts/loading.js";
import { formatCount } from "../../parts/number-texts.js";
import { useRead } from "../../server/use-read.js";
import { Bytes, Figures } from "../../parts/charts/figures.js";

const COLUMNS = ["Channel", "Namespace", "Values", "Splices", "Longest chain", "Stored", "Whole"];

/** The chains of splices in a thread. */
export function ChainsSection({ threadId }: { readonly threadId: string }) {
  const { data, error, refetch } = useRead("chains", { threadId });
  const spliced = data?.channels.filter(({ splices }) => splices > 0) ?? [];
  return (
    <section>
      <h2>Chains</h2>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading what="the chains" />}
      {data !== undefined && spliced.length === 0 && <p>All values of the thread are stored whole.</p>}
      {spliced.length > 0 && (
        <>
          <p class="dim">
            A splice holds what is new against an earlier value. A read follows its chain to a whole value.
          </p>
          <Figures caption="Chains of splices" columns={COLUMNS}>
            {spliced.map((row) => (
              <tr key={JSON.stringify([row.namespace, row.channel])}>
                <th scope="row">
                  <bdi>{row.channel}</bdi>
                </th>
                <td>
                  <bdi>{row.namespace === "" ? "(root graph)" : row.namespace}</bdi>
                </td>
                <td>{formatCount(row.versions)}</td>
                <td>{formatCount(row.splices)}</td>
                <td>{formatCount(row.longest)}</td>
                <td>
                  <Bytes bytes={row.storedBytes} />
                </td>
                <td>
                  <Bytes bytes={row.wholeBytes} />
                </td>
              </tr>
            ))}
          </Figures>
        </>
      )}
    </section>
  );
}
