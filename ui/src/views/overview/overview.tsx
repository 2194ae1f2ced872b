// What did the program do, and what should one look at?
export function Overview() {
  return <div class="overview" />;
}
