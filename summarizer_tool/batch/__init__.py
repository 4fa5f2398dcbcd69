"""Many documents, on one machine or many: each a durable workflow of DBOS, which queues, recovers and cancels them."""
