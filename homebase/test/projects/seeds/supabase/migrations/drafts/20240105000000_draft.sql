select nothing from nowhere;
