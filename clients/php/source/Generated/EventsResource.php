<?php

// Written by npm run clients from api/openapi.json.

declare(strict_types=1);

namespace Payments\Generated;

use Payments\Core;
use Payments\Page;

/**
 * @phpstan-import-type Event from Models
 * @phpstan-import-type EventList from Models
 * @phpstan-import-type EventWithDeliveries from Models
 * @phpstan-import-type ListEventsParams from Models
 * @phpstan-import-type ResendEventRequest from Models
 * @phpstan-import-type ResentEvent from Models
 */
final class EventsResource
{
    public function __construct(private readonly Core $core)
    {
    }

    /**
     * Events as they were delivered, in the order in which they happened. From the oldest on:
     * remember the last `sequence` and ask for what comes `after` it. Test events are in no
     * list.
     *
     * @param ListEventsParams $query
     * @param array<string, string> $headers sent with each try
     * @return Page<EventList, Event>
     */
    public function list(array $query = [], array $headers = []): Page
    {
        return $this->core->list('events', 'after', '/events', ['query' => $query, 'headers' => $headers]);
    }

    /**
     * One event with its deliveries and their last attempts. With the bytes that were signed,
     * and how each endpoint responded.
     *
     * @param array<string, string> $headers sent with each try
     * @return EventWithDeliveries
     */
    public function retrieve(string $id, array $headers = []): array
    {
        return $this->core->call('GET', '/events/{id}', ['path' => ['id' => $id], 'headers' => $headers]);
    }

    /**
     * Send an event again, to all endpoints that have it or to the one that is named. It has the
     * same `id` as before, so that a receiver which has it already can tell.
     *
     * @param ResendEventRequest|null $body
     * @param array<string, string> $headers sent with each try
     * @return ResentEvent
     */
    public function resend(string $id, ?array $body = null, array $headers = []): array
    {
        return $this->core->call('POST', '/events/{id}/resend', ['path' => ['id' => $id], 'body' => $body, 'headers' => $headers]);
    }
}
