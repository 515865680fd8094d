"""Schemas of Prisma: models, enumerations, fields."""
