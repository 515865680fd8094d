# resource "none" "none" {}
terraform {
  required_version = ">= 1.0"
}

variable "region" {
  default = "eu"
}

locals {
  name = "shop-${var.region}"
  size = 3
}

/* The bucket. */
resource "aws_s3_bucket" "items" {
  bucket = local.name
  policy = <<EOF
resource "text" "text" {
EOF
}

data "aws_region" "current" {}

module "network" {
  source = "./network"
  bucket = aws_s3_bucket.items.id
}

output "bucket" {
  value = module.network.bucket
}

provider "aws" { region = var.region }
