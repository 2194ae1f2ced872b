// Usage: TraceEvents FILE.nettrace
using Microsoft.Diagnostics.Tracing;

using var source = new EventPipeEventSource(args[0]);
long events = 0;
source.AllEvents += _ => events++;
source.Process();
Console.WriteLine($"events {events}");
Console.WriteLine($"dropped {source.EventsLost}");
