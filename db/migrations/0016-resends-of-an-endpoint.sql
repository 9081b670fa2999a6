-- The dashboard shows an endpoint's last resend. Resends are few, so the index is made in a moment.
create index webhook_resends_of_endpoint on webhook_resends (endpoint_id, created_at);
