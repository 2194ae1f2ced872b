// Listens to the runtime's events: it must see collections, and a description of their source.
using System;
using System.Collections.Generic;
using System.Diagnostics.Tracing;
using System.Threading;

internal static class Listen
{
    private sealed class Listener : EventListener
    {
        public readonly CountdownEvent Missing = new(2);
        private readonly HashSet<string> _seen = [];

        protected override void OnEventSourceCreated(EventSource source)
        {
            if (source.Name == "Microsoft-Windows-DotNETRuntime")
            {
                EnableEvents(source, EventLevel.Informational, (EventKeywords)1);
            }
        }

        protected override void OnEventWritten(EventWrittenEventArgs data)
        {
            lock (_seen)
            {
                if (data.EventName is "GCStart_V2" or "GCEnd_V1" && _seen.Add(data.EventName) && !Missing.IsSet)
                {
                    Missing.Signal();
                }
            }
        }
    }

    public static void Run()
    {
        using Listener listener = new();
        for (int tries = 0; tries < 600 && !listener.Missing.Wait(100); tries++)
        {
            GC.Collect();
        }
        Console.WriteLine(listener.Missing.IsSet ? "collections were seen" : "no collection was seen");
        foreach (EventSource source in EventSource.GetSources())
        {
            if (source.Name == "Microsoft-Windows-DotNETRuntime")
            {
                Console.WriteLine($"enabled {source.IsEnabled(EventLevel.Informational, (EventKeywords)1)}");
            }
        }
    }
}
