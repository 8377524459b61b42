/** What a function returns, and by how many bytes the most that the process has ever had in memory grew meanwhile. */
export async function peakGrowth<T>(
  act: () => T | Promise<T>,
): Promise<{ value: Awaited<T>; bytes: number }> {
  const before = process.resourceUsage().maxRSS;
  const value = await act();
  return { value, bytes: (process.resourceUsage().maxRSS - before) * 1024 };
}
