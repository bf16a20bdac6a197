"""Fine-tuning sets: chats with their answers, from any task that can be drawn without a build."""
