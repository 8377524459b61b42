interface GraphChoiceProps {
  readonly graphs: readonly string[];
  readonly graph: string | undefined;
  readonly onChoose: (graph: string) => void;
}

/** Asks which graph runs. */
export function GraphChoice({ graphs, graph, onChoose }: GraphChoiceProps) {
  return (
    <label class="action-field">
      <span>Graph</span>
      <select
        value={graph}
        onChange={({ currentTarget }) => {
          onChoose(currentTarget.value);
        }}
      >
        {graphs.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}
